/* Small values made of numbers. In Python each is a named tuple, so that any sequence of the same shape is accepted and
 * components have names; nested values (a Transform3D's basis) are named tuples in turn. */
#include "binding.h"

#define V(name) GDEXTENSION_VARIANT_TYPE_##name
#define MAX_PARTS 4

struct shape {
	uint8_t count;           /* components, 0: not a small value */
	char kind;               /* 'f' float, 'i' 32-bit integer, 's' nested */
	uint8_t parts[MAX_PARTS]; /* types of nested components */
	bool transposed;         /* stored by rows, spelled by columns */
};

static const struct shape shapes[TYPE_COUNT] = {
		[V(VECTOR2)] = {2, 'f', {0}, false},
		[V(VECTOR2I)] = {2, 'i', {0}, false},
		[V(VECTOR3)] = {3, 'f', {0}, false},
		[V(VECTOR3I)] = {3, 'i', {0}, false},
		[V(VECTOR4)] = {4, 'f', {0}, false},
		[V(VECTOR4I)] = {4, 'i', {0}, false},
		[V(PLANE)] = {4, 'f', {0}, false},
		[V(QUATERNION)] = {4, 'f', {0}, false},
		[V(COLOR)] = {4, 'f', {0}, false},
		[V(RECT2)] = {2, 's', {V(VECTOR2), V(VECTOR2)}, false},
		[V(RECT2I)] = {2, 's', {V(VECTOR2I), V(VECTOR2I)}, false},
		[V(AABB)] = {2, 's', {V(VECTOR3), V(VECTOR3)}, false},
		[V(TRANSFORM2D)] = {3, 's', {V(VECTOR2), V(VECTOR2), V(VECTOR2)}, false},
		[V(BASIS)] = {3, 's', {V(VECTOR3), V(VECTOR3), V(VECTOR3)}, true},
		[V(TRANSFORM3D)] = {2, 's', {V(BASIS), V(VECTOR3)}, false},
		[V(PROJECTION)] = {4, 's', {V(VECTOR4), V(VECTOR4), V(VECTOR4), V(VECTOR4)}, false},
};

bool is_small_value(int type) { return shapes[type].count != 0; }

static void transpose(const float *from, float *to) {
	for (int row = 0; row < 3; row++) {
		for (int column = 0; column < 3; column++) to[3 * column + row] = from[3 * row + column];
	}
}

PyObject *small_to_python(int type, const void *memory) {
	const struct shape *shape = &shapes[type];
	PyTypeObject *class = binding.values[type];
	PyObject *tuple = class->tp_alloc(class, shape->count);
	if (!tuple) return NULL;
	float turned[9];
	if (shape->transposed) {
		transpose(memory, turned);
		memory = turned;
	}
	const char *bytes = memory;
	for (int index = 0; index < shape->count; index++) {
		PyObject *item;
		if (shape->kind == 'f') {
			item = PyFloat_FromDouble(((const float *)memory)[index]);
		} else if (shape->kind == 'i') {
			item = PyLong_FromLong(((const int32_t *)memory)[index]);
		} else {
			item = small_to_python(shape->parts[index], bytes);
			bytes += godot_type_sizes[shape->parts[index]];
		}
		if (!item) {
			Py_DECREF(tuple);
			return NULL;
		}
		PyTuple_SET_ITEM(tuple, index, item);
	}
	return tuple;
}

static bool number_from_python(char kind, PyObject *item, void *memory) {
	if (kind == 'f') {
		double number = PyFloat_AsDouble(item);
		if (number == -1.0 && PyErr_Occurred()) return false;
		*(float *)memory = (float)number;
		return true;
	}
	long number = PyLong_AsLong(item);
	if (number == -1 && PyErr_Occurred()) return false;
	if (number != (int32_t)number) {
		PyErr_SetString(PyExc_OverflowError, "a component must fit into 32 bits");
		return false;
	}
	*(int32_t *)memory = (int32_t)number;
	return true;
}

static PyObject *components(int type, PyObject *object) {
	const struct shape *shape = &shapes[type];
	PyObject *items = PyUnicode_Check(object) ? NULL : PySequence_Fast(object, "");
	bool opaque = items && type == V(COLOR) && PySequence_Fast_GET_SIZE(items) == 3;
	if (items && (PySequence_Fast_GET_SIZE(items) == shape->count || opaque)) return items;
	Py_XDECREF(items);
	PyErr_Format(PyExc_TypeError, "%s needs %d components, got %.80s", godot_type_names[type], shape->count,
			Py_TYPE(object)->tp_name);
	return NULL;
}

bool small_from_python(int type, PyObject *object, void *memory) {
	const struct shape *shape = &shapes[type];
	PyObject *items = components(type, object);
	if (!items) return false;
	float turned[9];
	char *bytes = shape->transposed ? (char *)turned : memory;
	bool done = true;
	Py_ssize_t given = PySequence_Fast_GET_SIZE(items);
	for (int index = 0; index < shape->count && done; index++) {
		if (index >= given) {
			((float *)bytes)[index] = 1.0f; /* a colour without alpha is opaque */
			continue;
		}
		PyObject *item = PySequence_Fast_GET_ITEM(items, index);
		if (shape->kind == 's') {
			done = small_from_python(shape->parts[index], item, bytes);
			bytes += godot_type_sizes[shape->parts[index]];
		} else {
			done = number_from_python(shape->kind, item, bytes + 4 * index);
		}
	}
	Py_DECREF(items);
	if (done && shape->transposed) transpose(turned, memory);
	return done;
}
