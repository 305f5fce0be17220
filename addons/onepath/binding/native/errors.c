/* A Python exception becomes one Godot error; the instance whose callback raised it gets no more callbacks. */
#include "binding.h"

void report_text(const char *text) { gd.print_error(text, __func__, __FILE__, __LINE__, 1); }

/* Without the Python side's help (it is not loaded yet, or is itself broken): the exception's own words. */
static void report_plainly(const char *where, PyObject *error) {
	PyObject *text = error ? PyObject_Str(error) : NULL;
	const char *words = text ? PyUnicode_AsUTF8(text) : NULL;
	char line[2048];
	snprintf(line, sizeof line, "%s: %s: %s", where, error ? Py_TYPE(error)->tp_name : "error", words ? words : "");
	report_text(line);
	Py_XDECREF(text);
	PyErr_Clear();
}

void report_exception(const char *where) {
	PyObject *type, *error, *trace;
	PyErr_Fetch(&type, &error, &trace);
	if (!type) return;
	PyErr_NormalizeException(&type, &error, &trace);
	if (trace) PyException_SetTraceback(error, trace);
	PyObject *parts = binding.describe ? PyObject_CallFunction(binding.describe, "sO", where, error) : NULL;
	const char *text, *function, *file;
	int line;
	if (parts && PyArg_ParseTuple(parts, "sssi", &text, &function, &file, &line)) {
		gd.print_error(text, function, file, line, 1);
	} else {
		PyErr_Clear();
		report_plainly(where, error);
	}
	Py_XDECREF(parts);
	Py_XDECREF(type);
	Py_XDECREF(error);
	Py_XDECREF(trace);
}

void stop_instance(PyObject *instance, const char *method) {
	char where[256];
	object_t *self = (object_t *)instance;
	if (self && self->info) {
		self->stopped = true;
		snprintf(where, sizeof where, "%s.%s", self->info->text, method);
	} else {
		snprintf(where, sizeof where, "%s", method);
	}
	report_exception(where);
}
