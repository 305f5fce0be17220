/* Any value between the engine and Python. Everything goes through "typed" memory: a Variant is opened with the engine's
 * internal getters and made with its constructors, so each type is written down once. */
#include "binding.h"

#define V(name) GDEXTENSION_VARIANT_TYPE_##name

static GDExtensionVariantFromTypeConstructorFunc wrap[TYPE_COUNT];
static GDExtensionVariantGetInternalPtrFunc open_variant[TYPE_COUNT];
static GDExtensionPtrDestructor destructors[TYPE_COUNT];

void conversion_load(void) {
	for (int type = 1; type < TYPE_COUNT; type++) {
		wrap[type] = gd.get_variant_from_type_constructor(type);
		open_variant[type] = gd.variant_get_ptr_internal_getter(type);
		destructors[type] = gd.variant_get_ptr_destructor(type);
	}
}

void typed_drop(int type, void *memory) {
	if (type == TYPE_VARIANT) {
		gd.variant_destroy(memory);
	} else if (destructors[type]) {
		destructors[type](memory);
	}
}

/* --- Engine to Python --------------------------------------------------------------------------------------------- */
static PyObject *array_to_python(const void *array) {
	int64_t count = 0;
	BUILTIN(Array, size)((void *)array, NULL, &count, 0);
	PyObject *list = PyList_New(count);
	for (int64_t index = 0; list && index < count; index++) {
		PyObject *item = variant_to_python(gd.array_operator_index_const(array, index));
		if (!item) {
			Py_CLEAR(list);
		} else {
			PyList_SET_ITEM(list, index, item);
		}
	}
	return list;
}

static PyObject *dictionary_to_python(const void *dictionary) {
	uint64_t keys, values;
	CONSTRUCT(Array, nothing)(&keys, NULL);
	CONSTRUCT(Array, nothing)(&values, NULL);
	BUILTIN(Dictionary, keys)((void *)dictionary, NULL, &keys, 0);
	BUILTIN(Dictionary, values)((void *)dictionary, NULL, &values, 0);
	PyObject *names = array_to_python(&keys), *items = array_to_python(&values);
	typed_drop(V(ARRAY), &keys);
	typed_drop(V(ARRAY), &values);
	PyObject *result = names && items ? PyDict_New() : NULL;
	for (Py_ssize_t index = 0; result && index < PyList_GET_SIZE(names); index++) {
		if (PyDict_SetItem(result, PyList_GET_ITEM(names, index), PyList_GET_ITEM(items, index)) < 0) Py_CLEAR(result);
	}
	Py_XDECREF(names);
	Py_XDECREF(items);
	return result;
}

static PyObject *boxed_to_python(int type, const void *memory) {
	variant_t variant;
	wrap[type](&variant, (void *)memory);
	PyObject *box = box_new(&variant);
	gd.variant_destroy(&variant);
	return box;
}

static PyObject *path_to_python(const void *path) {
	string_t string;
	const void *arguments[] = {path};
	CONSTRUCT(String, NodePath)(&string, arguments);
	PyObject *text = string_to_python(&string);
	string_drop(&string);
	PyObject *result = text ? PyObject_CallOneArg((PyObject *)binding.values[V(NODE_PATH)], text) : NULL;
	Py_XDECREF(text);
	return result;
}

PyObject *typed_to_python(int type, const void *memory) {
	switch (type) {
		case TYPE_VARIANT: return variant_to_python(memory);
		case V(BOOL): return PyBool_FromLong(*(const uint8_t *)memory);
		case V(INT): return PyLong_FromLongLong(*(const int64_t *)memory);
		case V(FLOAT): return PyFloat_FromDouble(*(const double *)memory);
		case V(STRING): return string_to_python(memory);
		case V(STRING_NAME): return name_to_python(memory);
		case V(NODE_PATH): return path_to_python(memory);
		case V(RID):
			return PyObject_CallFunction((PyObject *)binding.values[V(RID)], "K", *(const unsigned long long *)memory);
		case V(OBJECT): return object_to_python(*(GDExtensionObjectPtr const *)memory);
		case V(ARRAY): return array_to_python(memory);
		case V(DICTIONARY): return dictionary_to_python(memory);
		default:
			if (is_small_value(type)) return small_to_python(type, memory);
			if (type >= V(PACKED_BYTE_ARRAY)) return packed_to_python(type, memory);
			return boxed_to_python(type, memory);
	}
}

PyObject *variant_to_python(const variant_t *variant) {
	int type = gd.variant_get_type(variant);
	if (type == TYPE_VARIANT) Py_RETURN_NONE;
	if (type == V(OBJECT)) {
		/* By id: the object may be gone although the Variant still names it. */
		return object_to_python(gd.object_get_instance_from_id(gd.variant_get_object_instance_id(variant)));
	}
	return typed_to_python(type, open_variant[type]((void *)variant));
}

/* --- Python to engine --------------------------------------------------------------------------------------------- */
static bool array_from_python(PyObject *object, void *array) {
	PyObject *items = PyUnicode_Check(object) ? NULL : PySequence_Fast(object, "");
	if (!items) {
		PyErr_Format(PyExc_TypeError, "Array needs a sequence, got %.80s", Py_TYPE(object)->tp_name);
		return false;
	}
	CONSTRUCT(Array, nothing)(array, NULL);
	int64_t count = PySequence_Fast_GET_SIZE(items), error;
	const void *arguments[] = {&count};
	BUILTIN(Array, resize)(array, arguments, &error, 1);
	for (int64_t index = 0; index < count; index++) {
		variant_t item;
		if (!variant_from_python(&item, PySequence_Fast_GET_ITEM(items, index))) {
			Py_DECREF(items);
			typed_drop(V(ARRAY), array);
			return false;
		}
		variant_t *place = gd.array_operator_index(array, index);
		gd.variant_destroy(place);
		*place = item;
	}
	Py_DECREF(items);
	return true;
}

static bool dictionary_from_python(PyObject *object, void *dictionary) {
	if (!PyDict_Check(object)) {
		PyErr_Format(PyExc_TypeError, "Dictionary needs a dict, got %.80s", Py_TYPE(object)->tp_name);
		return false;
	}
	CONSTRUCT(Dictionary, nothing)(dictionary, NULL);
	PyObject *name, *item;
	Py_ssize_t position = 0;
	while (PyDict_Next(object, &position, &name, &item)) {
		variant_t key, value;
		if (!variant_from_python(&key, name)) break;
		if (!variant_from_python(&value, item)) {
			gd.variant_destroy(&key);
			break;
		}
		variant_t *place = gd.dictionary_operator_index(dictionary, &key);
		gd.variant_destroy(place);
		*place = value;
		gd.variant_destroy(&key);
	}
	if (!PyErr_Occurred()) return true;
	typed_drop(V(DICTIONARY), dictionary);
	return false;
}

static bool text_from_python(int type, PyObject *object, void *memory) {
	if (!PyUnicode_Check(object)) {
		PyErr_Format(PyExc_TypeError, "%s needs str, got %.80s", godot_type_names[type], Py_TYPE(object)->tp_name);
		return false;
	}
	if (type == V(STRING)) return string_from_python(memory, object);
	if (type == V(STRING_NAME)) return name_from_python(memory, object);
	string_t string;
	if (!string_from_python(&string, object)) return false;
	const void *arguments[] = {&string};
	CONSTRUCT(NodePath, String)(memory, arguments);
	string_drop(&string);
	return true;
}

/* Numbers as the engine takes them: bool, int and float stand in for each other, but text does not stand for a number. */
static bool number_from_python(int type, PyObject *object, void *memory) {
	if (type == V(FLOAT)) {
		*(double *)memory = PyFloat_AsDouble(object);
	} else if (type == V(BOOL)) {
		int truth = PyObject_IsTrue(object);
		*(uint8_t *)memory = truth > 0;
	} else {
		PyObject *number = PyFloat_Check(object) ? PyNumber_Long(object) : PyNumber_Index(object);
		if (!number) return false;
		long long signed_value = PyLong_AsLongLong(number);
		if (signed_value == -1 && PyErr_ExceptionMatches(PyExc_OverflowError)) {
			PyErr_Clear(); /* ids and RIDs use the whole 64 bits */
			signed_value = (long long)PyLong_AsUnsignedLongLong(number);
		}
		*(int64_t *)memory = signed_value;
		Py_DECREF(number);
	}
	return !PyErr_Occurred();
}

bool typed_from_python(int type, PyObject *object, void *memory) {
	switch (type) {
		case TYPE_VARIANT: return variant_from_python(memory, object);
		case V(BOOL):
		case V(INT):
		case V(FLOAT):
		case V(RID): return number_from_python(type, object, memory);
		case V(STRING):
		case V(STRING_NAME):
		case V(NODE_PATH): return text_from_python(type, object, memory);
		case V(ARRAY): return array_from_python(object, memory);
		case V(DICTIONARY): return dictionary_from_python(object, memory);
		case V(OBJECT):
			*(GDExtensionObjectPtr *)memory = object == Py_None ? NULL : object_pointer(object);
			return !PyErr_Occurred();
		default: break;
	}
	if (is_small_value(type)) return small_from_python(type, object, memory);
	if (type >= V(PACKED_BYTE_ARRAY)) return packed_from_python(type, object, memory);
	if (type == V(CALLABLE) && !PyObject_TypeCheck(object, &box_type)) return callable_from_python(object, memory);
	const variant_t *box = box_variant(object);
	if (!box) return false;
	if ((int)gd.variant_get_type(box) != type) {
		PyErr_Format(PyExc_TypeError, "%s expected", godot_type_names[type]);
		return false;
	}
	gd.get_variant_to_type_constructor(type)(memory, (void *)box);
	return true;
}

/* Over a value that is already there, as the engine hands it to a function that returns something. */
bool typed_assign(int type, PyObject *object, void *memory) {
	value_t value;
	if (!typed_from_python(type, object, &value)) return false;
	if (type == V(OBJECT)) {
		GDExtensionObjectPtr pointer = *(GDExtensionObjectPtr *)&value;
		if (pointer && object_is_refcounted(pointer)) {
			gd.ref_set_object(memory, pointer);
		} else {
			*(GDExtensionObjectPtr *)memory = pointer;
		}
		return true;
	}
	typed_drop(type, memory);
	memcpy(memory, &value, godot_type_sizes[type]);
	return true;
}

bool variant_from_python_as(int type, variant_t *variant, PyObject *object) {
	if (type == TYPE_VARIANT) return variant_from_python(variant, object);
	value_t value;
	if (!typed_from_python(type, object, &value)) return false;
	wrap[type](variant, &value);
	typed_drop(type, &value);
	return true;
}

static int natural_type(PyObject *object) {
	if (PyBool_Check(object)) return V(BOOL);
	if (PyFloat_Check(object)) return V(FLOAT);
	PyTypeObject *class = Py_TYPE(object);
	bool plain = class == &PyLong_Type || class == &PyUnicode_Type || class == &PyTuple_Type || class == &PyList_Type;
	if (!plain && (PyTuple_Check(object) || PyLong_Check(object) || PyUnicode_Check(object) || PyList_Check(object))) {
		for (int type = 0; type < TYPE_COUNT; type++) {
			if (class == binding.values[type]) return type;
		}
	}
	if (PyLong_Check(object)) return V(INT);
	if (PyUnicode_Check(object)) return V(STRING);
	if (PyObject_TypeCheck(object, &object_type)) return V(OBJECT);
	if (PyObject_TypeCheck(object, &box_type)) return gd.variant_get_type(box_variant(object));
	if (PyDict_Check(object)) return V(DICTIONARY);
	int packed = packed_type_of(object);
	if (packed >= 0) return packed;
	PyErr_Clear();
	if (PyList_Check(object) || PyTuple_Check(object)) return V(ARRAY);
	return PyCallable_Check(object) ? V(CALLABLE) : -1;
}

bool variant_from_python(variant_t *variant, PyObject *object) {
	if (object == Py_None) {
		gd.variant_new_nil(variant);
		return true;
	}
	int type = natural_type(object);
	if (type >= 0) return variant_from_python_as(type, variant, object);
	PyErr_Format(PyExc_TypeError, "the engine has no type for %.80s", Py_TYPE(object)->tp_name);
	return false;
}
