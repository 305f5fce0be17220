/* What the engine calls: creation and death of instances, virtual functions, notifications, methods and properties. */
#include "binding.h"

/* --- Life of an instance ------------------------------------------------------------------------------------------ */
static const GDExtensionInstanceBindingCallbacks no_callbacks = {NULL, NULL, NULL};

static bool attach_instance(struct class_info *info, GDExtensionObjectPtr pointer) {
	PyObject *instance = info->type->tp_alloc(info->type, 0);
	if (!instance) return false;
	object_t *self = (object_t *)instance;
	self->pointer = pointer;
	self->id = gd.object_get_instance_id(pointer);
	self->info = info;
	gd.object_set_instance(pointer, &info->name, instance); /* the engine's object holds it from here on */
	gd.object_set_instance_binding(pointer, &binding, instance, &no_callbacks);
	PyObject *started = PyObject_CallMethod(instance, "__init__", NULL);
	if (!started) stop_instance(instance, "__init__");
	Py_XDECREF(started);
	return true;
}

static GDExtensionObjectPtr create_instance(void *userdata, GDExtensionBool notify) {
	struct class_info *info = userdata;
	ENTER_PYTHON(NULL);
	GDExtensionObjectPtr pointer = gd.classdb_construct_object2(&info->native);
	if (pointer && !attach_instance(info, pointer)) {
		report_exception(info->text);
		gd.object_destroy(pointer);
		pointer = NULL;
	}
	LEAVE_PYTHON();
	if (pointer && notify) {
		int64_t what = 0; /* NOTIFICATION_POSTINITIALIZE, which is not exposed under a name */
		uint8_t reversed = 0;
		const void *arguments[] = {&what, &reversed};
		gd.object_method_bind_ptrcall(METHOD(Object, notification), pointer, arguments, NULL);
	}
	return pointer;
}

static void free_instance(void *userdata, GDExtensionClassInstancePtr instance) {
	(void)userdata;
	if (!instance || !binding.alive) return;
	PyGILState_STATE gil = PyGILState_Ensure();
	object_t *self = instance;
	if (self->pointer) gd.object_free_instance_binding(self->pointer, &binding);
	self->pointer = NULL;
	Py_DECREF(instance);
	PyGILState_Release(gil);
}

/* --- Virtual functions -------------------------------------------------------------------------------------------- */
static void *find_virtual(void *userdata, GDExtensionConstStringNamePtr name, uint32_t hash) {
	struct class_info *info = userdata;
	for (int index = 0; index < info->virtual_count; index++) {
		struct virtual_slot *slot = &info->virtuals[index];
		if (slot->name.word == ((const name_t *)name)->word && slot->signature->hash == hash) return slot;
	}
	return NULL;
}

static void call_virtual(GDExtensionClassInstancePtr instance, GDExtensionConstStringNamePtr name, void *userdata,
		const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
	(void)name;
	struct virtual_slot *slot = userdata;
	if (((object_t *)instance)->stopped) return;
	ENTER_PYTHON();
	Py_INCREF((PyObject *)instance); /* the callback may free its own node */
	PyObject *items[9] = {instance};
	int count = slot->signature->count, made = 0;
	for (; made < count; made++) {
		items[made + 1] = typed_to_python(slot->signature->types[made], arguments[made]);
		if (!items[made + 1]) break;
	}
	PyObject *answer = NULL;
	((object_t *)instance)->running++;
	if (made == count) answer = PyObject_VectorcallMethod(slot->method, items, count + 1, NULL);
	((object_t *)instance)->running--;
	bool done = answer && (slot->signature->result < 0 || typed_assign(slot->signature->result, answer, result));
	if (!done) stop_instance(instance, PyUnicode_AsUTF8(slot->method));
	Py_XDECREF(answer);
	while (made > 0) Py_DECREF(items[made--]);
	Py_DECREF((PyObject *)instance);
	LEAVE_PYTHON();
}

/* A node that is freed inside of one of its own virtual functions or notifications, by what that has called, would leave
 * the engine with a dangling pointer when that returns: such a node leaves the tree at once and is freed at the end of the frame. */
static bool outlives_its_call(object_t *self, int32_t what) {
	enum { PREDELETE = 1 };
	if (what != PREDELETE || !self->running || !self->pointer) return false;
	if (!gd.object_cast_to(self->pointer, binding.node_tag)) return false;
	gd.object_method_bind_ptrcall(METHOD(Object, cancel_free), self->pointer, NULL, NULL);
	gd.object_method_bind_ptrcall(METHOD(Node, queue_free), self->pointer, NULL, NULL);
	return true;
}

static void notification(GDExtensionClassInstancePtr instance, int32_t what, GDExtensionBool reversed) {
	(void)reversed;
	object_t *self = instance;
	if (!self || outlives_its_call(self, what) || self->stopped) return;
	struct class_info *info = self->info;
	for (int index = 0; index < info->notification_count; index++) {
		if (info->notifications[index] != what) continue;
		ENTER_PYTHON();
		Py_INCREF((PyObject *)instance);
		self->running++;
		PyObject *answer = PyObject_CallMethodNoArgs(instance, info->handlers[index]);
		self->running--;
		if (!answer) stop_instance(instance, PyUnicode_AsUTF8(info->handlers[index]));
		Py_XDECREF(answer);
		Py_DECREF((PyObject *)instance);
		LEAVE_PYTHON();
	}
}

/* `_validate_property(name, usage)` may return another usage, which hides or shows a property in the inspector. */
static GDExtensionBool validate_property(GDExtensionClassInstancePtr instance, GDExtensionPropertyInfo *property) {
	object_t *self = instance;
	if (!self || self->stopped || !self->info->validate) return 0;
	GDExtensionBool changed = 0;
	ENTER_PYTHON(0);
	PyObject *name = name_to_python(property->name), *usage = PyLong_FromUnsignedLong(property->usage);
	PyObject *answer = NULL;
	if (name && usage) answer = PyObject_CallMethodObjArgs(instance, self->info->validate, name, usage, NULL);
	if (answer && answer != Py_None) {
		unsigned long value = PyLong_AsUnsignedLong(answer);
		if (!PyErr_Occurred()) {
			property->usage = (uint32_t)value;
			changed = 1;
		}
	}
	if (PyErr_Occurred()) stop_instance(instance, "_validate_property");
	Py_XDECREF(name);
	Py_XDECREF(usage);
	Py_XDECREF(answer);
	LEAVE_PYTHON();
	return changed;
}

void class_callbacks(GDExtensionClassCreationInfo4 *creation) {
	creation->create_instance_func = create_instance;
	creation->free_instance_func = free_instance;
	creation->get_virtual_call_data_func = find_virtual;
	creation->call_virtual_with_data_func = call_virtual;
	creation->notification_func = notification;
	creation->validate_property_func = validate_property;
}

/* --- Methods and properties --------------------------------------------------------------------------------------- */
/* A property that holds an object which has been freed holds nothing. */
static PyObject *property_value(struct method_slot *slot, PyObject *instance) {
	PyObject *value = PyObject_GetAttr(instance, slot->name);
	if (value && slot->result == GDEXTENSION_VARIANT_TYPE_OBJECT && PyObject_IsTrue(value) == 0) {
		Py_DECREF(value);
		return Py_NewRef(Py_None);
	}
	return value;
}

static PyObject *run_slot(struct method_slot *slot, PyObject *instance, PyObject **items, int count) {
	switch (slot->kind) {
		case METHOD_GET: return property_value(slot, instance);
		case METHOD_SET:
			if (PyObject_SetAttr(instance, slot->name, items[1]) < 0) return NULL;
			return Py_NewRef(Py_None);
		default: return PyObject_VectorcallMethod(slot->name, items, count + 1, NULL);
	}
}

static void report_slot(struct method_slot *slot, PyObject *instance) {
	char where[256];
	snprintf(where, sizeof where, "%s.%s", ((object_t *)instance)->info->text, PyUnicode_AsUTF8(slot->name));
	report_exception(where);
}

static PyObject *argument_from_variant(int type, const variant_t *variant) {
	int given = gd.variant_get_type(variant);
	if (type == TYPE_VARIANT || type == given) return variant_to_python(variant);
	if (type == GDEXTENSION_VARIANT_TYPE_OBJECT && given == TYPE_VARIANT) Py_RETURN_NONE;
	if (!gd.variant_can_convert_strict(given, type)) return NULL;
	value_t value;
	gd.get_variant_to_type_constructor(type)(&value, (void *)variant);
	PyObject *item = typed_to_python(type, &value);
	typed_drop(type, &value);
	return item;
}

void method_call(void *userdata, GDExtensionClassInstancePtr instance, const GDExtensionConstVariantPtr *arguments,
		GDExtensionInt count, GDExtensionVariantPtr result, GDExtensionCallError *error) {
	struct method_slot *slot = userdata;
	error->error = GDEXTENSION_CALL_OK;
	if (count > slot->count || count < slot->required) {
		error->error = count > slot->count ? GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS
										   : GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS;
		error->expected = count > slot->count ? slot->count : slot->required;
		return;
	}
	ENTER_PYTHON();
	Py_INCREF((PyObject *)instance);
	PyObject *items[17] = {instance};
	int made = 0;
	for (; made < count; made++) {
		items[made + 1] = argument_from_variant(slot->types[made], arguments[made]);
		if (!items[made + 1]) break;
	}
	if (made == count) {
		PyObject *answer = run_slot(slot, instance, items, (int)count);
		variant_t value;
		if (answer && slot->result >= 0 && variant_from_python_as(slot->result, &value, answer)) {
			gd.variant_destroy(result);
			memcpy(result, &value, sizeof value);
		}
		if (PyErr_Occurred()) report_slot(slot, instance);
		Py_XDECREF(answer);
	} else if (PyErr_Occurred()) {
		report_slot(slot, instance);
	} else {
		error->error = GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT;
		error->argument = made;
		error->expected = slot->types[made];
	}
	while (made > 0) Py_DECREF(items[made--]);
	Py_DECREF((PyObject *)instance);
	LEAVE_PYTHON();
}

void method_ptrcall(void *userdata, GDExtensionClassInstancePtr instance, const GDExtensionConstTypePtr *arguments,
		GDExtensionTypePtr result) {
	struct method_slot *slot = userdata;
	ENTER_PYTHON();
	Py_INCREF((PyObject *)instance);
	PyObject *items[17] = {instance};
	int made = 0;
	for (; made < slot->count; made++) {
		items[made + 1] = typed_to_python(slot->types[made], arguments[made]);
		if (!items[made + 1]) break;
	}
	PyObject *answer = NULL;
	if (made == slot->count) answer = run_slot(slot, instance, items, slot->count);
	if (answer && slot->result >= 0) typed_assign(slot->result, answer, result);
	if (PyErr_Occurred()) report_slot(slot, instance);
	Py_XDECREF(answer);
	while (made > 0) Py_DECREF(items[made--]);
	Py_DECREF((PyObject *)instance);
	LEAVE_PYTHON();
}
