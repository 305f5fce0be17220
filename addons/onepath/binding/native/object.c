/* Engine objects in Python.
 *
 * A plain object is named by its instance id and checked before each use, so a freed node is never touched. A
 * reference-counted object is kept alive by one engine reference that its Python object owns. An instance of a class
 * that was written in Python belongs to its engine object (which holds it until it dies); for reference-counted ones
 * Python code gets a reference object that owns an engine reference and forwards everything to the instance. */
#include "binding.h"

static object_t *new_object(GDExtensionObjectPtr pointer, GDObjectInstanceID id) {
	object_t *self = PyObject_New(object_t, &object_type);
	if (!self) return NULL;
	self->pointer = pointer;
	self->id = id;
	self->inner = NULL;
	self->info = NULL;
	self->owns = self->stopped = false;
	self->running = 0;
	self->before = self->after = NULL;
	return self;
}

/* --- Engine references that Python owns --------------------------------------------------------------------------- */
static object_t *owners; /* all of them, so that none outlives Python */

static void take_reference(object_t *self) {
	uint8_t taken = 0;
	gd.object_method_bind_ptrcall(METHOD(RefCounted, init_ref), self->pointer, NULL, &taken);
	if (!taken) return;
	self->owns = true;
	self->after = owners;
	if (owners) owners->before = self;
	owners = self;
}

static void drop_reference(object_t *self) {
	if (!self->owns) return;
	if (self->before) {
		self->before->after = self->after;
	} else {
		owners = self->after;
	}
	if (self->after) self->after->before = self->before;
	GDExtensionObjectPtr pointer = self->pointer;
	self->owns = false;
	self->pointer = NULL;
	uint8_t last = 0;
	gd.object_method_bind_ptrcall(METHOD(RefCounted, unreference), pointer, NULL, &last);
	if (last) gd.object_destroy(pointer);
}

/* Python's collector cannot see references that go through the engine, so its end alone would leave some standing. */
void release_references(void) {
	while (owners) {
		object_t *self = owners;
		Py_INCREF((PyObject *)self);
		drop_reference(self);
		Py_CLEAR(self->inner);
		Py_DECREF((PyObject *)self);
	}
}

bool object_is_refcounted(GDExtensionObjectPtr pointer) {
	return gd.object_cast_to(pointer, binding.refcounted_tag) != NULL;
}

PyObject *object_to_python(GDExtensionObjectPtr pointer) {
	if (!pointer) Py_RETURN_NONE;
	GDObjectInstanceID id = gd.object_get_instance_id(pointer);
	PyObject *instance = gd.object_get_instance_binding(pointer, &binding, NULL);
	bool refcounted = object_is_refcounted(pointer);
	if (instance && !refcounted) return Py_NewRef(instance);
	object_t *self = new_object(pointer, id);
	if (!self) return NULL;
	if (refcounted) {
		take_reference(self);
		self->inner = Py_XNewRef(instance);
	}
	return (PyObject *)self;
}

GDExtensionObjectPtr object_pointer(PyObject *object) {
	if (!PyObject_TypeCheck(object, &object_type)) {
		PyErr_Format(PyExc_TypeError, "an engine object is needed, got %.80s", Py_TYPE(object)->tp_name);
		return NULL;
	}
	object_t *self = (object_t *)object;
	if (self->owns || self->info) {
		if (self->pointer) return self->pointer;
	} else {
		GDExtensionObjectPtr pointer = gd.object_get_instance_from_id(self->id);
		if (pointer) return pointer;
	}
	PyErr_SetString(binding.freed_error, "the object has been freed");
	return NULL;
}

PyObject *instance_from_id(GDObjectInstanceID id) {
	GDExtensionObjectPtr pointer = gd.object_get_instance_from_id(id);
	return pointer ? gd.object_get_instance_binding(pointer, &binding, NULL) : NULL;
}

/* --- The type ----------------------------------------------------------------------------------------------------- */
static PyObject *object_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
	(void)arguments, (void)keywords;
	PyErr_Format(PyExc_TypeError, "%s is made by the engine: call godot.new(\"%s\")", type->tp_name, type->tp_name);
	return NULL;
}

static void object_dealloc(PyObject *object) {
	object_t *self = (object_t *)object;
	drop_reference(self);
	Py_CLEAR(self->inner);
	Py_TYPE(object)->tp_free(object);
}

static bool is_private(PyObject *name) {
	return PyUnicode_GET_LENGTH(name) > 1 && PyUnicode_READ_CHAR(name, 0) == '_' && PyUnicode_READ_CHAR(name, 1) == '_';
}

/* A method, property, signal or script variable of the engine's object. */
static PyObject *engine_getattr(PyObject *object, PyObject *name) {
	variant_t variant, result;
	name_t key;
	if (!owner_variant(object, &variant)) return NULL;
	if (!name_from_python(&key, name)) {
		gd.variant_destroy(&variant);
		return NULL;
	}
	if (gd.variant_has_method(&variant, &key)) {
		gd.variant_destroy(&variant);
		return method_new(object, &key);
	}
	GDExtensionBool valid = 0;
	Py_BEGIN_ALLOW_THREADS
	gd.variant_get_named(&variant, &key, &result, &valid);
	Py_END_ALLOW_THREADS
	PyObject *value = valid ? variant_to_python(&result) : NULL;
	if (!valid) PyErr_Format(PyExc_AttributeError, "the engine object has no '%U'", name);
	gd.variant_destroy(&result);
	gd.variant_destroy(&variant);
	name_drop(&key);
	return value;
}

static PyObject *object_getattro(PyObject *object, PyObject *name) {
	object_t *self = (object_t *)object;
	if (self->inner) return PyObject_GetAttr(self->inner, name);
	if (!self->info && !is_private(name)) return engine_getattr(object, name);
	/* Names that Python did not know before: asking it first would raise an exception only to drop it. */
	if (self->info && self->pointer && binding.running && PySet_Contains(self->info->engine_names, name) == 1) {
		return engine_getattr(object, name);
	}
	PyObject *value = PyObject_GenericGetAttr(object, name);
	if (value || is_private(name) || !binding.running || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
	PyObject *type, *error, *trace;
	PyErr_Fetch(&type, &error, &trace);
	value = engine_getattr(object, name);
	if (value && PySet_Add(self->info->engine_names, name) < 0) Py_CLEAR(value);
	if (value || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
		Py_XDECREF(type);
		Py_XDECREF(error);
		Py_XDECREF(trace);
	} else {
		PyErr_Restore(type, error, trace);
	}
	return value;
}

static int engine_setattr(PyObject *object, PyObject *name, PyObject *value) {
	variant_t variant, item;
	name_t key;
	if (!owner_variant(object, &variant)) return -1;
	if (!variant_from_python(&item, value)) {
		gd.variant_destroy(&variant);
		return -1;
	}
	bool named = name_from_python(&key, name);
	GDExtensionBool valid = 0;
	if (named) {
		Py_BEGIN_ALLOW_THREADS
		gd.variant_set_named(&variant, &key, &item, &valid);
		Py_END_ALLOW_THREADS
		name_drop(&key);
		if (!valid) PyErr_Format(PyExc_AttributeError, "the engine object has no property '%U' of such a type", name);
	}
	gd.variant_destroy(&item);
	gd.variant_destroy(&variant);
	return valid ? 0 : -1;
}

static int object_setattro(PyObject *object, PyObject *name, PyObject *value) {
	object_t *self = (object_t *)object;
	if (self->inner) return PyObject_SetAttr(self->inner, name, value);
	if (self->info && !binding.running) return PyObject_GenericSetAttr(object, name, value);
	if (self->info) {
		int engine = value ? PySet_Contains(self->info->engine_properties, name) : 0;
		if (engine < 0) return -1;
		if (!engine && PySet_Discard(self->info->engine_names, name) < 0) return -1;
		if (!engine) return PyObject_GenericSetAttr(object, name, value);
	}
	if (value) return engine_setattr(object, name, value);
	PyErr_Format(PyExc_AttributeError, "'%U' cannot be deleted", name);
	return -1;
}

static PyObject *object_compare(PyObject *left, PyObject *right, int operation) {
	if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(right, &object_type)) {
		Py_RETURN_NOTIMPLEMENTED;
	}
	bool equal = ((object_t *)left)->id == ((object_t *)right)->id;
	return PyBool_FromLong(equal == (operation == Py_EQ));
}

static Py_hash_t object_hash(PyObject *object) { return (Py_hash_t)(((object_t *)object)->id & 0x7fffffffffffffff); }

static int object_truth(PyObject *object) {
	if (object_pointer(object)) return 1;
	PyErr_Clear();
	return 0;
}

static PyObject *object_repr(PyObject *object) {
	object_t *self = (object_t *)object;
	GDExtensionObjectPtr pointer = object_pointer(object);
	if (!pointer) {
		PyErr_Clear();
		return PyUnicode_FromFormat("<freed object %llu>", (unsigned long long)self->id);
	}
	name_t class;
	if (!gd.object_get_class_name(pointer, binding.host->library, &class)) name_make(&class, "Object");
	PyObject *name = name_to_python(&class);
	name_drop(&class);
	PyObject *text = name ? PyUnicode_FromFormat("<%U %llu>", name, (unsigned long long)self->id) : NULL;
	Py_XDECREF(name);
	return text;
}

static PyNumberMethods object_number = {.nb_bool = object_truth};
PyTypeObject object_type = {
		PyVarObject_HEAD_INIT(NULL, 0).tp_name = "godot.Object",
		.tp_basicsize = sizeof(object_t),
		.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
		.tp_doc = "An object of the engine. Its methods and properties are reached by their engine names; it is false "
				  "once the engine has freed it, and any other use then raises FreedObjectError.",
		.tp_new = object_new,
		.tp_dealloc = object_dealloc,
		.tp_getattro = object_getattro,
		.tp_setattro = object_setattro,
		.tp_richcompare = object_compare,
		.tp_hash = object_hash,
		.tp_repr = object_repr,
		.tp_as_number = &object_number,
};
