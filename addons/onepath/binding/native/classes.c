/* Registration of Python classes with the engine. The Python side (declare.py, register.py) has already turned
 * annotations into plain tuples; here they become the engine's structures. */
#include "binding.h"

#define CAPSULE "godot.class"

static struct class_info *registered; /* the last one first, so that it is also the order of unregistration */

/* (type, name, class name, hint, hint string, usage) */
struct described {
	GDExtensionPropertyInfo info;
	name_t name, class_name;
	string_t hint_string;
};

static bool describe(PyObject *tuple, struct described *out) {
	int type;
	unsigned int hint, usage;
	PyObject *name, *class_name, *hint_string;
	if (!PyArg_ParseTuple(tuple, "iUUIUI", &type, &name, &class_name, &hint, &hint_string, &usage)) return false;
	if (!name_from_python(&out->name, name)) return false;
	if (!name_from_python(&out->class_name, class_name)) return false;
	if (!string_from_python(&out->hint_string, hint_string)) return false;
	out->info = (GDExtensionPropertyInfo){type, &out->name, &out->class_name, hint, &out->hint_string, usage};
	return true;
}

static void undescribe(struct described *described, int count) {
	for (int index = 0; index < count; index++) {
		name_drop(&described[index].name);
		name_drop(&described[index].class_name);
		string_drop(&described[index].hint_string);
	}
}

static struct class_info *class_of(PyObject *capsule) { return PyCapsule_GetPointer(capsule, CAPSULE); }

/* --- Classes ------------------------------------------------------------------------------------------------------ */
static const struct godot_virtual *signature_of(const char *name) {
	for (const struct godot_virtual *row = godot_virtuals; row->name; row++) {
		if (strcmp(row->name, name) == 0) return row;
	}
	return NULL;
}

static bool fill_virtuals(struct class_info *info, PyObject *names) {
	info->virtuals = PyMem_RawCalloc(PyTuple_GET_SIZE(names) + 1, sizeof *info->virtuals);
	for (Py_ssize_t index = 0; info->virtuals && index < PyTuple_GET_SIZE(names); index++) {
		PyObject *name = PyTuple_GET_ITEM(names, index);
		const struct godot_virtual *signature = signature_of(PyUnicode_AsUTF8(name));
		if (!signature) continue;
		struct virtual_slot *slot = &info->virtuals[info->virtual_count++];
		slot->method = Py_NewRef(name);
		slot->signature = signature;
		name_make(&slot->name, signature->name);
	}
	return info->virtuals != NULL;
}

static bool fill_notifications(struct class_info *info, PyObject *handlers) {
	Py_ssize_t count = PyTuple_GET_SIZE(handlers);
	info->notifications = PyMem_RawCalloc(count + 1, sizeof *info->notifications);
	info->handlers = PyMem_RawCalloc(count + 1, sizeof *info->handlers);
	for (Py_ssize_t index = 0; index < count && info->notifications && info->handlers; index++) {
		PyObject *method;
		if (!PyArg_ParseTuple(PyTuple_GET_ITEM(handlers, index), "iU", &info->notifications[index], &method)) return false;
		info->handlers[index] = Py_NewRef(method);
		info->notification_count++;
	}
	return info->notifications && info->handlers;
}

static void tell_engine(struct class_info *info, name_t *parent, PyObject *icon, bool is_abstract) {
	string_t icon_path = {0};
	GDExtensionClassCreationInfo4 creation = {0};
	creation.is_exposed = 1;
	creation.is_abstract = is_abstract;
	creation.class_userdata = info;
	if (PyUnicode_GET_LENGTH(icon) && string_from_python(&icon_path, icon)) creation.icon_path = &icon_path;
	class_callbacks(&creation);
	if (gd.classdb_register_extension_class5) {
		gd.classdb_register_extension_class5(binding.host->library, &info->name, parent, &creation);
	} else {
		gd.classdb_register_extension_class4(binding.host->library, &info->name, parent, &creation);
	}
	if (creation.icon_path) string_drop(&icon_path);
}

/* (class, name, parent, native base, icon, virtual names, notification handlers, validates, base's properties, abstract) */
PyObject *register_class(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *type, *name, *parent, *native, *icon, *virtuals, *handlers, *properties;
	int validates, is_abstract;
	if (!PyArg_ParseTuple(arguments, "O!UUUUO!O!pOp", &PyType_Type, &type, &name, &parent, &native, &icon, &PyTuple_Type,
				&virtuals, &PyTuple_Type, &handlers, &validates, &properties, &is_abstract)) {
		return NULL;
	}
	if (!PyType_IsSubtype((PyTypeObject *)type, &object_type)) {
		PyErr_SetString(PyExc_TypeError, "a registered class must derive from godot.Object");
		return NULL;
	}
	struct class_info *info = PyMem_RawCalloc(1, sizeof *info);
	if (!info) return PyErr_NoMemory();
	name_t parent_name;
	info->type = (PyTypeObject *)Py_NewRef(type);
	info->engine_properties = Py_NewRef(properties);
	if (!(info->engine_names = PySet_New(NULL))) return NULL;
	snprintf(info->text, sizeof info->text, "%s", PyUnicode_AsUTF8(name));
	name_from_python(&info->name, name);
	name_from_python(&info->native, native);
	name_from_python(&parent_name, parent);
	info->next = registered;
	registered = info;
	if (!fill_virtuals(info, virtuals) || !fill_notifications(info, handlers)) return PyErr_NoMemory();
	if (validates) info->validate = PyUnicode_InternFromString("_validate_property");
	tell_engine(info, &parent_name, icon, is_abstract);
	name_drop(&parent_name);
	return PyCapsule_New(info, CAPSULE, NULL);
}

void unregister_classes(void) {
	for (struct class_info *info = registered; info; info = info->next) {
		gd.classdb_unregister_extension_class(binding.host->library, &info->name);
	}
}

/* What the classes hold of Python, so that its end can take all instances down. No callback comes any more. */
void release_class_objects(void) {
	for (struct class_info *info = registered; info; info = info->next) {
		for (int index = 0; index < info->virtual_count; index++) Py_CLEAR(info->virtuals[index].method);
		for (int index = 0; index < info->notification_count; index++) Py_CLEAR(info->handlers[index]);
		for (struct method_slot *slot = info->methods; slot; slot = slot->next) Py_CLEAR(slot->name);
		Py_CLEAR(info->validate);
		Py_CLEAR(info->engine_properties);
		Py_CLEAR(info->engine_names);
		PyObject *type = (PyObject *)info->type;
		info->type = NULL;
		Py_DECREF(type);
	}
}

/* After the last instance. */
void release_classes(void) {
	while (registered) {
		struct class_info *info = registered;
		registered = info->next;
		for (int index = 0; index < info->virtual_count; index++) name_drop(&info->virtuals[index].name);
		while (info->methods) {
			struct method_slot *slot = info->methods;
			info->methods = slot->next;
			PyMem_RawFree(slot);
		}
		PyMem_RawFree(info->virtuals);
		PyMem_RawFree(info->notifications);
		PyMem_RawFree(info->handlers);
		name_drop(&info->name);
		name_drop(&info->native);
		PyMem_RawFree(info);
	}
}

/* --- Methods and properties --------------------------------------------------------------------------------------- */
static struct method_slot *new_slot(struct class_info *info, PyObject *name, enum method_kind kind) {
	struct method_slot *slot = PyMem_RawCalloc(1, sizeof *slot);
	if (!slot) return NULL;
	Py_INCREF(name);
	PyUnicode_InternInPlace(&name);
	slot->name = name;
	slot->kind = kind;
	slot->result = -1;
	slot->next = info->methods;
	info->methods = slot;
	return slot;
}

static void bind_slot(struct class_info *info, struct method_slot *slot, name_t *name, struct described *result,
		struct described *arguments, variant_t *defaults, int default_count) {
	GDExtensionPropertyInfo infos[16];
	GDExtensionClassMethodArgumentMetadata metadata[16] = {0};
	GDExtensionVariantPtr default_pointers[16];
	/* A script that passes a typed variable whose object has been freed would hand over a dangling pointer. Calls of
	 * methods with a variable number of arguments come as Variants, which also tell the object's id. */
	uint32_t flags = GDEXTENSION_METHOD_FLAGS_DEFAULT;
	for (int index = 0; index < slot->count; index++) {
		infos[index] = arguments[index].info;
		if (slot->types[index] == GDEXTENSION_VARIANT_TYPE_OBJECT) flags |= GDEXTENSION_METHOD_FLAG_VARARG;
	}
	for (int index = 0; index < default_count; index++) default_pointers[index] = &defaults[index];
	GDExtensionClassMethodInfo method = {
			.name = name,
			.method_userdata = slot,
			.call_func = method_call,
			.ptrcall_func = method_ptrcall,
			.method_flags = flags,
			.has_return_value = result != NULL,
			.return_value_info = result ? &result->info : NULL,
			.argument_count = slot->count,
			.arguments_info = infos,
			.arguments_metadata = metadata,
			.default_argument_count = default_count,
			.default_arguments = default_pointers,
	};
	gd.classdb_register_extension_class_method(binding.host->library, &info->name, &method);
}

static bool make_accessor(struct class_info *info, PyObject *attribute, const char *prefix, struct described *value,
		name_t *name) {
	PyObject *text = PyUnicode_FromFormat("%s_%U", prefix, attribute);
	if (!text || !name_from_python(name, text)) return false;
	Py_DECREF(text);
	bool setter = strcmp(prefix, "set") == 0;
	struct method_slot *slot = new_slot(info, attribute, setter ? METHOD_SET : METHOD_GET);
	if (!slot) return false;
	if (setter) {
		slot->count = slot->required = 1;
		slot->types[0] = value->info.type;
		bind_slot(info, slot, name, NULL, value, NULL, 0);
	} else {
		slot->result = value->info.type;
		bind_slot(info, slot, name, value, NULL, NULL, 0);
	}
	return true;
}

/* (class, attribute, described value, read only) */
PyObject *register_property(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *capsule, *attribute, *tuple;
	int read_only;
	struct described value;
	if (!PyArg_ParseTuple(arguments, "OUOp", &capsule, &attribute, &tuple, &read_only)) return NULL;
	struct class_info *info = class_of(capsule);
	if (!info || !describe(tuple, &value)) return NULL;
	name_t getter, setter;
	if (!make_accessor(info, attribute, "get", &value, &getter)) return NULL;
	if (read_only) {
		name_make(&setter, "");
	} else if (!make_accessor(info, attribute, "set", &value, &setter)) {
		return NULL;
	}
	gd.classdb_register_extension_class_property(binding.host->library, &info->name, &value.info, &setter, &getter);
	name_drop(&getter);
	name_drop(&setter);
	undescribe(&value, 1);
	Py_RETURN_NONE;
}

/* (class, engine name, attribute, described arguments, described result or None, default values of the last ones) */
PyObject *register_method(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *capsule, *name, *attribute, *parameters, *returned, *given;
	struct described described[16], result;
	variant_t defaults[16];
	if (!PyArg_ParseTuple(arguments, "OUUO!OO!", &capsule, &name, &attribute, &PyTuple_Type, &parameters, &returned,
				&PyTuple_Type, &given)) {
		return NULL;
	}
	struct class_info *info = class_of(capsule);
	int count = (int)PyTuple_GET_SIZE(parameters), default_count = (int)PyTuple_GET_SIZE(given);
	if (!info) return NULL;
	if (count > 16 || default_count > count) {
		PyErr_SetString(PyExc_TypeError, "a method takes at most 16 arguments");
		return NULL;
	}
	struct method_slot *slot = new_slot(info, attribute, METHOD_CALL);
	if (!slot) return PyErr_NoMemory();
	slot->count = count;
	slot->required = count - default_count;
	for (int index = 0; index < count; index++) {
		if (!describe(PyTuple_GET_ITEM(parameters, index), &described[index])) return NULL;
		slot->types[index] = described[index].info.type;
	}
	if (returned != Py_None && !describe(returned, &result)) return NULL;
	if (returned != Py_None) slot->result = result.info.type;
	for (int index = 0; index < default_count; index++) {
		int type = slot->types[slot->required + index];
		PyObject *value = PyTuple_GET_ITEM(given, index);
		if (value == Py_None) {
			gd.variant_new_nil(&defaults[index]);
		} else if (!variant_from_python_as(type, &defaults[index], value)) {
			return NULL;
		}
	}
	name_t key;
	if (!name_from_python(&key, name)) return NULL;
	bind_slot(info, slot, &key, slot->result < 0 ? NULL : &result, described, defaults, default_count);
	name_drop(&key);
	undescribe(described, count);
	if (slot->result >= 0) undescribe(&result, 1);
	while (default_count > 0) gd.variant_destroy(&defaults[--default_count]);
	Py_RETURN_NONE;
}

/* --- Signals, constants, groups ----------------------------------------------------------------------------------- */
/* (class, name, described arguments) */
PyObject *register_signal(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *capsule, *name, *parameters;
	struct described described[16];
	GDExtensionPropertyInfo infos[16];
	if (!PyArg_ParseTuple(arguments, "OUO!", &capsule, &name, &PyTuple_Type, &parameters)) return NULL;
	struct class_info *info = class_of(capsule);
	int count = (int)PyTuple_GET_SIZE(parameters);
	if (!info) return NULL;
	for (int index = 0; index < count && index < 16; index++) {
		if (!describe(PyTuple_GET_ITEM(parameters, index), &described[index])) return NULL;
		infos[index] = described[index].info;
	}
	name_t key;
	if (!name_from_python(&key, name)) return NULL;
	gd.classdb_register_extension_class_signal(binding.host->library, &info->name, &key, infos, count);
	name_drop(&key);
	undescribe(described, count);
	Py_RETURN_NONE;
}

/* (class, enum name or "", constant name, value, is a bit field) */
PyObject *register_constant(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *capsule, *enumeration, *name;
	long long value;
	int bits;
	if (!PyArg_ParseTuple(arguments, "OUULp", &capsule, &enumeration, &name, &value, &bits)) return NULL;
	struct class_info *info = class_of(capsule);
	name_t enum_name, constant;
	if (!info || !name_from_python(&enum_name, enumeration) || !name_from_python(&constant, name)) return NULL;
	gd.classdb_register_extension_class_integer_constant(binding.host->library, &info->name, &enum_name, &constant, value,
			bits);
	name_drop(&enum_name);
	name_drop(&constant);
	Py_RETURN_NONE;
}

/* (class, title, is a subgroup) */
PyObject *register_group(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *capsule, *title;
	int sub;
	if (!PyArg_ParseTuple(arguments, "OUp", &capsule, &title, &sub)) return NULL;
	struct class_info *info = class_of(capsule);
	string_t text, prefix = {0};
	if (!info || !string_from_python(&text, title)) return NULL;
	if (sub) {
		gd.classdb_register_extension_class_property_subgroup(binding.host->library, &info->name, &text, &prefix);
	} else {
		gd.classdb_register_extension_class_property_group(binding.host->library, &info->name, &text, &prefix);
	}
	string_drop(&text);
	Py_RETURN_NONE;
}
