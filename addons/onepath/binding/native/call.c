/* Calls from Python into the engine: methods by name, and boxes for values that have no Python form (Callable, Signal).
 * The GIL is released during a call, because the engine may wait in it for a thread that needs Python. */
#include "binding.h"

typedef struct {
	PyObject_HEAD
	PyObject *owner;
	name_t name;
} method_t;

typedef struct {
	PyObject_HEAD
	variant_t variant;
} box_t;

enum { ON_STACK = 12 };

PyObject *method_new(PyObject *owner, name_t *name) {
	method_t *self = PyObject_New(method_t, &method_type);
	if (!self) {
		name_drop(name);
		return NULL;
	}
	self->owner = Py_NewRef(owner);
	self->name = *name;
	return (PyObject *)self;
}

static void method_dealloc(PyObject *object) {
	method_t *self = (method_t *)object;
	Py_DECREF(self->owner);
	name_drop(&self->name);
	PyObject_Free(self);
}

bool method_parts(PyObject *method, GDExtensionObjectPtr *owner, const name_t **name) {
	if (!Py_IS_TYPE(method, &method_type)) return false;
	method_t *self = (method_t *)method;
	if (!PyObject_TypeCheck(self->owner, &object_type)) return false;
	*owner = object_pointer(self->owner);
	*name = &self->name;
	return true;
}

bool owner_variant(PyObject *owner, variant_t *variant) {
	if (PyObject_TypeCheck(owner, &box_type)) {
		gd.variant_new_copy(variant, &((box_t *)owner)->variant);
		return true;
	}
	return variant_from_python_as(GDEXTENSION_VARIANT_TYPE_OBJECT, variant, owner);
}

static const char *call_problem(const GDExtensionCallError *error) {
	switch (error->error) {
		case GDEXTENSION_CALL_ERROR_INVALID_METHOD: return "there is no such method";
		case GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT: return "an argument has the wrong type";
		case GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS: return "too many arguments";
		case GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS: return "too few arguments";
		case GDEXTENSION_CALL_ERROR_INSTANCE_IS_NULL: return "the object has been freed";
		default: return "the method cannot be called";
	}
}

static void set_call_error(const name_t *name, const GDExtensionCallError *error) {
	PyObject *text = name_to_python(name);
	if (!text) return;
	if (error->error == GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT) {
		int type = error->expected >= 0 && error->expected < TYPE_COUNT ? error->expected : 0;
		PyErr_Format(PyExc_TypeError, "%U: argument %d must be %s", text, error->argument + 1, godot_type_names[type]);
	} else {
		PyErr_Format(PyExc_TypeError, "%U: %s", text, call_problem(error));
	}
	Py_DECREF(text);
}

static PyObject *call_variant(variant_t *self, const name_t *name, PyObject *const *items, Py_ssize_t count) {
	variant_t stack[ON_STACK], *values = stack;
	const void *stack_pointers[ON_STACK], **pointers = stack_pointers;
	if (count > ON_STACK) {
		values = PyMem_Malloc(count * sizeof *values);
		pointers = PyMem_Malloc(count * sizeof *pointers);
	}
	Py_ssize_t made = 0;
	PyObject *answer = NULL;
	for (; values && pointers && made < count; made++) {
		if (!variant_from_python(&values[made], items[made])) break;
		pointers[made] = &values[made];
	}
	if (!values || !pointers) PyErr_NoMemory();
	if (made == count && !PyErr_Occurred()) {
		variant_t result;
		GDExtensionCallError error = {0};
		Py_BEGIN_ALLOW_THREADS
		gd.variant_call(self, name, pointers, count, &result, &error);
		Py_END_ALLOW_THREADS
		if (error.error == GDEXTENSION_CALL_OK) {
			answer = variant_to_python(&result);
		} else {
			set_call_error(name, &error);
		}
		gd.variant_destroy(&result);
	}
	while (made > 0) gd.variant_destroy(&values[--made]);
	if (values != stack) PyMem_Free(values);
	if (pointers != stack_pointers) PyMem_Free(pointers);
	return answer;
}

static PyObject *call_named(PyObject *owner, const name_t *name, PyObject *arguments, PyObject *keywords) {
	if (keywords && PyDict_GET_SIZE(keywords)) {
		PyErr_SetString(PyExc_TypeError, "engine methods take no keyword arguments");
		return NULL;
	}
	variant_t self;
	if (!owner_variant(owner, &self)) return NULL;
	PyObject *const *items = &PyTuple_GET_ITEM(arguments, 0);
	PyObject *answer = call_variant(&self, name, items, PyTuple_GET_SIZE(arguments));
	gd.variant_destroy(&self);
	return answer;
}

static PyObject *method_call_python(PyObject *object, PyObject *arguments, PyObject *keywords) {
	method_t *self = (method_t *)object;
	return call_named(self->owner, &self->name, arguments, keywords);
}

PyTypeObject method_type = {
		PyVarObject_HEAD_INIT(NULL, 0).tp_name = "godot.Method",
		.tp_basicsize = sizeof(method_t),
		.tp_flags = Py_TPFLAGS_DEFAULT,
		.tp_doc = "A method of an engine object, ready to be called.",
		.tp_dealloc = method_dealloc,
		.tp_call = method_call_python,
};

/* --- Boxes -------------------------------------------------------------------------------------------------------- */
PyObject *box_new(const variant_t *variant) {
	box_t *self = PyObject_New(box_t, &box_type);
	if (self) gd.variant_new_copy(&self->variant, variant);
	return (PyObject *)self;
}

const variant_t *box_variant(PyObject *box) {
	if (PyObject_TypeCheck(box, &box_type)) return &((box_t *)box)->variant;
	PyErr_Format(PyExc_TypeError, "the engine cannot take a %.80s here", Py_TYPE(box)->tp_name);
	return NULL;
}

static void box_dealloc(PyObject *object) {
	gd.variant_destroy(&((box_t *)object)->variant);
	PyObject_Free(object);
}

static PyObject *box_call(PyObject *object, PyObject *arguments, PyObject *keywords) {
	name_t name;
	name_make(&name, "call");
	PyObject *answer = call_named(object, &name, arguments, keywords);
	name_drop(&name);
	return answer;
}

static PyObject *box_getattro(PyObject *object, PyObject *name) {
	name_t key;
	PyObject *value = PyObject_GenericGetAttr(object, name);
	if (value || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
	PyErr_Clear();
	if (!name_from_python(&key, name)) return NULL;
	if (gd.variant_has_method(&((box_t *)object)->variant, &key)) return method_new(object, &key);
	name_drop(&key);
	PyErr_Format(PyExc_AttributeError, "the engine value has no method '%U'", name);
	return NULL;
}

static PyObject *box_compare(PyObject *left, PyObject *right, int operation) {
	if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(right, &box_type)) Py_RETURN_NOTIMPLEMENTED;
	bool equal = gd.variant_hash_compare(&((box_t *)left)->variant, &((box_t *)right)->variant);
	return PyBool_FromLong(equal == (operation == Py_EQ));
}

static Py_hash_t box_hash(PyObject *object) {
	Py_hash_t hash = (Py_hash_t)gd.variant_hash(&((box_t *)object)->variant);
	return hash == -1 ? -2 : hash;
}

static PyObject *box_repr(PyObject *object) {
	variant_t *variant = &((box_t *)object)->variant;
	string_t string = {0};
	gd.variant_stringify(variant, &string);
	PyObject *text = string_to_python(&string);
	string_drop(&string);
	return text;
}

PyTypeObject box_type = {
		PyVarObject_HEAD_INIT(NULL, 0).tp_name = "godot.Value",
		.tp_basicsize = sizeof(box_t),
		.tp_flags = Py_TPFLAGS_DEFAULT,
		.tp_doc = "An engine value that has no form in Python: a Callable or a Signal. Its methods can be called.",
		.tp_dealloc = box_dealloc,
		.tp_call = box_call,
		.tp_getattro = box_getattro,
		.tp_richcompare = box_compare,
		.tp_hash = box_hash,
		.tp_repr = box_repr,
};

/* --- Singletons --------------------------------------------------------------------------------------------------- */
PyObject *singleton(const char *name) {
	name_t key;
	name_make(&key, name);
	GDExtensionObjectPtr pointer = gd.global_get_singleton(&key);
	name_drop(&key);
	if (pointer) return object_to_python(pointer);
	PyErr_Format(PyExc_LookupError, "the engine has no singleton '%s'", name);
	return NULL;
}
