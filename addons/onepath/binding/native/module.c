/* The module `_godot`: what the Python side of the binding is built on. */
#include "binding.h"

static PyObject *get_singleton(PyObject *module, PyObject *name) {
	(void)module;
	const char *text = PyUnicode_AsUTF8(name);
	return text ? singleton(text) : NULL;
}

static PyObject *instance_id(PyObject *module, PyObject *object) {
	(void)module;
	if (!PyObject_TypeCheck(object, &object_type)) {
		PyErr_SetString(PyExc_TypeError, "instance_id needs an engine object");
		return NULL;
	}
	return PyLong_FromUnsignedLongLong(((object_t *)object)->id);
}

static PyObject *object_from_id(PyObject *module, PyObject *number) {
	(void)module;
	unsigned long long id = PyLong_AsUnsignedLongLongMask(number);
	if (PyErr_Occurred()) return NULL;
	return object_to_python(gd.object_get_instance_from_id(id));
}

static PyObject *is_stopped(PyObject *module, PyObject *object) {
	(void)module;
	return PyBool_FromLong(PyObject_TypeCheck(object, &object_type) && ((object_t *)object)->stopped);
}

static PyObject *emit(PyObject *module, PyObject *const *items, Py_ssize_t count) {
	(void)module;
	if (count < 2 || count > 14) {
		PyErr_SetString(PyExc_TypeError, "emit(object, signal, ...) takes up to 12 values");
		return NULL;
	}
	GDExtensionObjectPtr pointer = object_pointer(items[0]);
	if (!pointer) return NULL;
	variant_t values[13], result;
	const void *pointers[13];
	Py_ssize_t made = 0;
	for (; made < count - 1; made++) {
		int type = made ? TYPE_VARIANT : GDEXTENSION_VARIANT_TYPE_STRING_NAME;
		if (!variant_from_python_as(type, &values[made], items[made + 1])) break;
		pointers[made] = &values[made];
	}
	if (made == count - 1) {
		GDExtensionCallError error = {0};
		Py_BEGIN_ALLOW_THREADS
		gd.object_method_bind_call(METHOD(Object, emit_signal), pointer, pointers, made, &result, &error);
		Py_END_ALLOW_THREADS
		gd.variant_destroy(&result);
	}
	while (made > 0) gd.variant_destroy(&values[--made]);
	if (PyErr_Occurred()) return NULL;
	Py_RETURN_NONE;
}

/* (kind, text, function, file, line): kind 0 prints, 1 warns, 2 is an error */
static PyObject *report(PyObject *module, PyObject *arguments) {
	(void)module;
	int kind, line;
	const char *text, *function, *file;
	if (!PyArg_ParseTuple(arguments, "isssi", &kind, &text, &function, &file, &line)) return NULL;
	if (kind == 2) {
		gd.print_error(text, function, file, line, 1);
	} else if (kind == 1) {
		gd.print_warning(text, function, file, line, 1);
	} else {
		string_t string;
		gd.string_new_with_utf8_chars(&string, text);
		variant_t variant;
		gd.get_variant_from_type_constructor(GDEXTENSION_VARIANT_TYPE_STRING)(&variant, &string);
		const void *pointers[] = {&variant};
		UTILITY(print)(NULL, pointers, 1);
		gd.variant_destroy(&variant);
		string_drop(&string);
	}
	Py_RETURN_NONE;
}

static PyObject *load_help(PyObject *module, PyObject *text) {
	(void)module;
	const char *xml = PyUnicode_AsUTF8(text);
	if (!xml) return NULL;
	if (gd.editor_help_load_xml_from_utf8_chars) gd.editor_help_load_xml_from_utf8_chars(xml);
	Py_RETURN_NONE;
}

/* (type number, buffer): the buffer as that packed array, in one copy; for places without an annotation. */
static PyObject *packed(PyObject *module, PyObject *arguments) {
	(void)module;
	int type;
	PyObject *source;
	if (!PyArg_ParseTuple(arguments, "iO", &type, &source)) return NULL;
	if (type < GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY || type >= TYPE_COUNT) {
		PyErr_SetString(PyExc_ValueError, "not the number of a packed array");
		return NULL;
	}
	uint64_t memory[2];
	if (!packed_from_python(type, source, memory)) return NULL;
	PyObject *made = packed_to_python(type, memory);
	typed_drop(type, memory);
	return made;
}

/* (describe, freed error, {type number: class}) */
static PyObject *setup(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *describe, *freed, *values, *number, *class;
	Py_ssize_t position = 0;
	if (!PyArg_ParseTuple(arguments, "OOO!", &describe, &freed, &PyDict_Type, &values)) return NULL;
	Py_XSETREF(binding.describe, Py_NewRef(describe));
	Py_XSETREF(binding.freed_error, Py_NewRef(freed));
	while (PyDict_Next(values, &position, &number, &class)) {
		long type = PyLong_AsLong(number);
		if (type < 0 || type >= TYPE_COUNT || !PyType_Check(class)) {
			PyErr_SetString(PyExc_ValueError, "setup needs classes by type number");
			return NULL;
		}
		binding.values[type] = (PyTypeObject *)Py_NewRef(class);
	}
	Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
		{"singleton", get_singleton, METH_O, NULL},
		{"instance_id", instance_id, METH_O, NULL},
		{"object_from_id", object_from_id, METH_O, NULL},
		{"is_stopped", is_stopped, METH_O, NULL},
		{"emit", (PyCFunction)(void (*)(void))emit, METH_FASTCALL, NULL},
		{"report", report, METH_VARARGS, NULL},
		{"load_help", load_help, METH_O, NULL},
		{"packed", packed, METH_VARARGS, NULL},
		{"setup", setup, METH_VARARGS, NULL},
		{"register_class", register_class, METH_VARARGS, NULL},
		{"register_property", register_property, METH_VARARGS, NULL},
		{"register_method", register_method, METH_VARARGS, NULL},
		{"register_signal", register_signal, METH_VARARGS, NULL},
		{"register_constant", register_constant, METH_VARARGS, NULL},
		{"register_group", register_group, METH_VARARGS, NULL},
		{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_godot", NULL, -1, functions, NULL, NULL, NULL, NULL};

static bool add_tables(PyObject *module) {
	PyObject *types = PyDict_New(), *constants = PyDict_New();
	for (int type = 0; types && type < TYPE_COUNT; type++) {
		PyObject *number = PyLong_FromLong(type);
		PyDict_SetItemString(types, godot_type_names[type], number);
		Py_XDECREF(number);
	}
	for (const struct godot_constant *row = godot_constants; constants && row->name; row++) {
		PyObject *number = PyLong_FromLongLong(row->value);
		PyDict_SetItemString(constants, row->name, number);
		Py_XDECREF(number);
	}
	if (PyErr_Occurred() || PyModule_AddObject(module, "TYPES", types) < 0) return false;
	return PyModule_AddObject(module, "CONSTANTS", constants) == 0;
}

PyMODINIT_FUNC module_init(void) {
	PyTypeObject *types[] = {&object_type, &method_type, &box_type, &packed_type};
	PyObject *module = PyModule_Create(&definition);
	if (!module) return NULL;
	for (size_t index = 0; index < sizeof types / sizeof *types; index++) {
		if (PyModule_AddType(module, types[index]) < 0) return NULL;
	}
	if (PyModule_AddFunctions(module, bulk_functions) < 0 || !add_tables(module)) return NULL;
	return module;
}
