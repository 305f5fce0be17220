/* Strings and names between the engine and Python. */
#include "binding.h"

void name_make(name_t *name, const char *text) { gd.string_name_new_with_utf8_chars(name, text); }

bool name_from_python(name_t *name, PyObject *text) {
	Py_ssize_t size;
	const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
	if (!bytes) return false;
	gd.string_name_new_with_utf8_chars_and_len(name, bytes, size);
	return true;
}

void name_drop(name_t *name) { typed_drop(GDEXTENSION_VARIANT_TYPE_STRING_NAME, name); }

bool string_from_python(string_t *string, PyObject *text) {
	Py_ssize_t size;
	const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
	if (!bytes) return false;
	gd.string_new_with_utf8_chars_and_len(string, bytes, size);
	return true;
}

void string_drop(string_t *string) { typed_drop(GDEXTENSION_VARIANT_TYPE_STRING, string); }

PyObject *string_to_python(const void *string) {
	GDExtensionInt length = gd.string_to_utf32_chars(string, NULL, 0);
	if (length <= 0) return PyUnicode_New(0, 0);
	return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, gd.string_operator_index_const(string, 0), length);
}

PyObject *name_to_python(const void *name) {
	string_t string;
	const void *arguments[] = {name};
	CONSTRUCT(String, StringName)(&string, arguments);
	PyObject *text = string_to_python(&string);
	string_drop(&string);
	return text;
}
