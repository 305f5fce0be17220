/* Packed arrays. Towards Python a packed array is shown, not copied: a read-only buffer over the engine's own memory,
 * which the engine copies when somebody else writes to it. Towards the engine any buffer is taken in one copy. */
#include "binding.h"

#define V(name) GDEXTENSION_VARIANT_TYPE_PACKED_##name##_ARRAY
#define FIRST V(BYTE)

typedef void *(*index_func)(void *array, GDExtensionInt index);
typedef const void *(*const_index_func)(const void *array, GDExtensionInt index);

struct packed_kind {
	char format[2]; /* of one component, as in Python's struct module */
	uint8_t size, components;
	GDExtensionPtrBuiltInMethod count, resize;
	GDExtensionPtrConstructor make, copy;
	index_func at;
	const_index_func look;
};

static struct packed_kind kinds[TYPE_COUNT - FIRST];

static void load_kinds(void) {
	struct packed_kind loaded[] = {
			{"B", 1, 1, BUILTIN(PackedByteArray, size), BUILTIN(PackedByteArray, resize),
					CONSTRUCT(PackedByteArray, nothing), CONSTRUCT(PackedByteArray, PackedByteArray),
					(index_func)gd.packed_byte_array_operator_index, (const_index_func)gd.packed_byte_array_operator_index_const},
			{"i", 4, 1, BUILTIN(PackedInt32Array, size), BUILTIN(PackedInt32Array, resize),
					CONSTRUCT(PackedInt32Array, nothing), CONSTRUCT(PackedInt32Array, PackedInt32Array),
					(index_func)gd.packed_int32_array_operator_index, (const_index_func)gd.packed_int32_array_operator_index_const},
			{"q", 8, 1, BUILTIN(PackedInt64Array, size), BUILTIN(PackedInt64Array, resize),
					CONSTRUCT(PackedInt64Array, nothing), CONSTRUCT(PackedInt64Array, PackedInt64Array),
					(index_func)gd.packed_int64_array_operator_index, (const_index_func)gd.packed_int64_array_operator_index_const},
			{"f", 4, 1, BUILTIN(PackedFloat32Array, size), BUILTIN(PackedFloat32Array, resize),
					CONSTRUCT(PackedFloat32Array, nothing), CONSTRUCT(PackedFloat32Array, PackedFloat32Array),
					(index_func)gd.packed_float32_array_operator_index, (const_index_func)gd.packed_float32_array_operator_index_const},
			{"d", 8, 1, BUILTIN(PackedFloat64Array, size), BUILTIN(PackedFloat64Array, resize),
					CONSTRUCT(PackedFloat64Array, nothing), CONSTRUCT(PackedFloat64Array, PackedFloat64Array),
					(index_func)gd.packed_float64_array_operator_index, (const_index_func)gd.packed_float64_array_operator_index_const},
			{"s", 8, 1, BUILTIN(PackedStringArray, size), BUILTIN(PackedStringArray, resize),
					CONSTRUCT(PackedStringArray, nothing), CONSTRUCT(PackedStringArray, PackedStringArray),
					(index_func)gd.packed_string_array_operator_index, (const_index_func)gd.packed_string_array_operator_index_const},
			{"f", 4, 2, BUILTIN(PackedVector2Array, size), BUILTIN(PackedVector2Array, resize),
					CONSTRUCT(PackedVector2Array, nothing), CONSTRUCT(PackedVector2Array, PackedVector2Array),
					(index_func)gd.packed_vector2_array_operator_index, (const_index_func)gd.packed_vector2_array_operator_index_const},
			{"f", 4, 3, BUILTIN(PackedVector3Array, size), BUILTIN(PackedVector3Array, resize),
					CONSTRUCT(PackedVector3Array, nothing), CONSTRUCT(PackedVector3Array, PackedVector3Array),
					(index_func)gd.packed_vector3_array_operator_index, (const_index_func)gd.packed_vector3_array_operator_index_const},
			{"f", 4, 4, BUILTIN(PackedColorArray, size), BUILTIN(PackedColorArray, resize),
					CONSTRUCT(PackedColorArray, nothing), CONSTRUCT(PackedColorArray, PackedColorArray),
					(index_func)gd.packed_color_array_operator_index, (const_index_func)gd.packed_color_array_operator_index_const},
			{"f", 4, 4, BUILTIN(PackedVector4Array, size), BUILTIN(PackedVector4Array, resize),
					CONSTRUCT(PackedVector4Array, nothing), CONSTRUCT(PackedVector4Array, PackedVector4Array),
					(index_func)gd.packed_vector4_array_operator_index, (const_index_func)gd.packed_vector4_array_operator_index_const},
	};
	_Static_assert(sizeof loaded == sizeof kinds, "one row for each packed type, in the engine's order");
	memcpy(kinds, loaded, sizeof loaded);
}

static const struct packed_kind *kind_of(int type) {
	if (!kinds[0].size) load_kinds();
	return &kinds[type - FIRST];
}

static int element_type(int type) {
	switch (type) {
		case V(VECTOR2): return GDEXTENSION_VARIANT_TYPE_VECTOR2;
		case V(VECTOR3): return GDEXTENSION_VARIANT_TYPE_VECTOR3;
		case V(COLOR): return GDEXTENSION_VARIANT_TYPE_COLOR;
		default: return GDEXTENSION_VARIANT_TYPE_VECTOR4;
	}
}

const void *packed_data(int type, const void *array, int64_t *count) {
	const struct packed_kind *kind = kind_of(type);
	kind->count((void *)array, NULL, count, 0);
	return *count ? kind->look(array, 0) : NULL;
}

/* The memory of an array after it has been given a length; NULL for length 0. */
void *packed_resize(int type, void *array, int64_t count) {
	const struct packed_kind *kind = kind_of(type);
	int64_t error;
	const void *arguments[] = {&count};
	kind->resize(array, arguments, &error, 1);
	return count ? kind->at(array, 0) : NULL;
}

/* --- The Python object -------------------------------------------------------------------------------------------- */
typedef struct {
	PyObject_HEAD
	int type;
	uint64_t array[2];
	Py_ssize_t shape[2], strides[2];
	const void *data;
} packed_t;
_Static_assert(SIZE_PackedByteArray == 16, "size of a packed array");

static PyObject *strings_to_python(const void *array) {
	int64_t count;
	const struct packed_kind *kind = kind_of(V(STRING));
	packed_data(V(STRING), array, &count);
	PyObject *list = PyObject_CallNoArgs((PyObject *)binding.values[V(STRING)]);
	for (int64_t index = 0; list && index < count; index++) {
		PyObject *text = string_to_python(kind->look(array, index));
		if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
		Py_XDECREF(text);
	}
	return list;
}

PyObject *packed_to_python(int type, const void *memory) {
	if (type == V(STRING)) return strings_to_python(memory);
	packed_t *self = PyObject_New(packed_t, &packed_type);
	if (!self) return NULL;
	const struct packed_kind *kind = kind_of(type);
	const void *arguments[] = {memory};
	kind->copy(self->array, arguments);
	int64_t count;
	self->type = type;
	self->data = packed_data(type, self->array, &count);
	self->shape[0] = count;
	self->shape[1] = kind->components;
	self->strides[0] = kind->size * kind->components;
	self->strides[1] = kind->size;
	return (PyObject *)self;
}

static void packed_dealloc(PyObject *object) {
	packed_t *self = (packed_t *)object;
	typed_drop(self->type, self->array);
	PyObject_Free(self);
}

static int packed_buffer(PyObject *object, Py_buffer *view, int flags) {
	packed_t *self = (packed_t *)object;
	if (flags & PyBUF_WRITABLE) {
		PyErr_SetString(PyExc_BufferError, "a packed array is read-only; copy it first");
		return -1;
	}
	const struct packed_kind *kind = kind_of(self->type);
	*view = (Py_buffer){0};
	view->obj = Py_NewRef(object);
	view->buf = (void *)(self->data ? self->data : "");
	view->len = self->shape[0] * self->strides[0];
	view->readonly = 1;
	view->itemsize = kind->size;
	view->ndim = kind->components > 1 && (flags & PyBUF_ND) ? 2 : 1;
	view->format = flags & PyBUF_FORMAT ? (char *)kind->format : NULL;
	view->shape = flags & PyBUF_ND ? self->shape : NULL;
	view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL;
	return 0;
}

static Py_ssize_t packed_length(PyObject *object) { return ((packed_t *)object)->shape[0]; }

static PyObject *packed_item(PyObject *object, Py_ssize_t index) {
	packed_t *self = (packed_t *)object;
	if (index < 0 || index >= self->shape[0]) {
		PyErr_SetString(PyExc_IndexError, "index out of range");
		return NULL;
	}
	const char *place = (const char *)self->data + index * self->strides[0];
	switch (self->type) {
		case V(BYTE): return PyLong_FromLong(*(const uint8_t *)place);
		case V(INT32): return PyLong_FromLong(*(const int32_t *)place);
		case V(INT64): return PyLong_FromLongLong(*(const int64_t *)place);
		case V(FLOAT32): return PyFloat_FromDouble(*(const float *)place);
		case V(FLOAT64): return PyFloat_FromDouble(*(const double *)place);
		default: return small_to_python(element_type(self->type), place);
	}
}

static PyObject *packed_compare(PyObject *left, PyObject *right, int operation) {
	if ((operation != Py_EQ && operation != Py_NE) || !Py_IS_TYPE(right, &packed_type)) Py_RETURN_NOTIMPLEMENTED;
	packed_t *a = (packed_t *)left, *b = (packed_t *)right;
	bool equal = a->type == b->type && a->shape[0] == b->shape[0] &&
			(!a->shape[0] || memcmp(a->data, b->data, a->shape[0] * a->strides[0]) == 0);
	return PyBool_FromLong(equal == (operation == Py_EQ));
}

static PyObject *packed_repr(PyObject *object) {
	packed_t *self = (packed_t *)object;
	return PyUnicode_FromFormat("<%s of %zd>", godot_type_names[self->type], self->shape[0]);
}

static PyBufferProcs packed_buffer_procs = {.bf_getbuffer = packed_buffer};
static PySequenceMethods packed_sequence = {.sq_length = packed_length, .sq_item = packed_item};
PyTypeObject packed_type = {
		PyVarObject_HEAD_INIT(NULL, 0).tp_name = "godot.PackedArray",
		.tp_basicsize = sizeof(packed_t),
		.tp_flags = Py_TPFLAGS_DEFAULT,
		.tp_doc = "A packed array of the engine: a read-only buffer and sequence over its memory, without a copy.",
		.tp_dealloc = packed_dealloc,
		.tp_as_buffer = &packed_buffer_procs,
		.tp_as_sequence = &packed_sequence,
		.tp_richcompare = packed_compare,
		.tp_hash = PyObject_HashNotImplemented,
		.tp_repr = packed_repr,
};

/* --- From Python -------------------------------------------------------------------------------------------------- */
static char plain_format(const Py_buffer *view) {
	const char *format = view->format ? view->format : "B";
	if (*format == '@' || *format == '=' || *format == '<') format++;
	char letter = format[1] ? 0 : *format;
	if (letter == 'l' && view->itemsize == 8) letter = 'q';
	if (letter == 'L' && view->itemsize == 8) letter = 'Q';
	return letter;
}

int packed_type_of(PyObject *object) {
	if (Py_IS_TYPE(object, &packed_type)) return ((packed_t *)object)->type;
	if (!PyObject_CheckBuffer(object)) return -1;
	Py_buffer view;
	if (PyObject_GetBuffer(object, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) return -1;
	char letter = plain_format(&view);
	bool points = view.ndim == 2 && view.shape[1] == 3;
	PyBuffer_Release(&view);
	switch (letter) {
		case 'B': return V(BYTE);
		case 'i': return V(INT32);
		case 'q': return V(INT64);
		case 'f': return points ? V(VECTOR3) : V(FLOAT32);
		case 'd': return V(FLOAT64);
		default: return -1;
	}
}

static bool convert_items(char from, const void *source, char to, void *target, int64_t count) {
	if (from == to || (to == 'B' && (from == 'b' || from == 'c'))) {
		memcpy(target, source, count * (to == 'd' || to == 'q' ? 8 : to == 'B' ? 1 : 4));
	} else if (from == 'd' && to == 'f') {
		for (int64_t index = 0; index < count; index++) ((float *)target)[index] = (float)((const double *)source)[index];
	} else if (from == 'f' && to == 'd') {
		for (int64_t index = 0; index < count; index++) ((double *)target)[index] = ((const float *)source)[index];
	} else if (from == 'i' && to == 'q') {
		for (int64_t index = 0; index < count; index++) ((int64_t *)target)[index] = ((const int32_t *)source)[index];
	} else if (from == 'Q' && to == 'q') {
		memcpy(target, source, count * 8);
	} else {
		return false;
	}
	return true;
}

static bool buffer_to_packed(int type, const Py_buffer *view, void *array) {
	const struct packed_kind *kind = kind_of(type);
	char letter = plain_format(view);
	/* Bytes fill a byte array whatever they are; everything else keeps its numbers. */
	int64_t items = view->len / (view->itemsize ? view->itemsize : 1);
	if (type == V(BYTE)) {
		letter = 'B';
		items = view->len;
	}
	if (items % kind->components) {
		PyErr_Format(PyExc_ValueError, "%s needs a multiple of %d numbers, got %lld", godot_type_names[type],
				kind->components, (long long)items);
		return false;
	}
	void *data = packed_resize(type, array, items / kind->components);
	if (!items || convert_items(letter, view->buf, kind->format[0], data, items)) return true;
	PyErr_Format(PyExc_TypeError, "%s cannot be made from a buffer of format '%.10s'", godot_type_names[type],
			view->format ? view->format : "B");
	return false;
}

static bool sequence_to_packed(int type, PyObject *object, void *array) {
	const struct packed_kind *kind = kind_of(type);
	PyObject *items = PyUnicode_Check(object) ? NULL : PySequence_Fast(object, "");
	if (!items) {
		PyErr_Format(PyExc_TypeError, "%s needs a sequence or a buffer, got %.80s", godot_type_names[type],
				Py_TYPE(object)->tp_name);
		return false;
	}
	int64_t count = PySequence_Fast_GET_SIZE(items);
	char *place = packed_resize(type, array, count);
	bool done = true;
	for (int64_t index = 0; index < count && done; index++, place += kind->size * kind->components) {
		PyObject *item = PySequence_Fast_GET_ITEM(items, index);
		value_t value;
		if (type == V(STRING)) {
			done = typed_assign(GDEXTENSION_VARIANT_TYPE_STRING, item, place);
		} else if (kind->components > 1) {
			done = small_from_python(element_type(type), item, place);
		} else if (kind->format[0] == 'f' || kind->format[0] == 'd') {
			done = typed_from_python(GDEXTENSION_VARIANT_TYPE_FLOAT, item, &value);
			if (done) convert_items('d', &value, kind->format[0], place, 1);
		} else {
			done = typed_from_python(GDEXTENSION_VARIANT_TYPE_INT, item, &value);
			memcpy(place, &value, kind->size); /* the low bytes, as the engine itself cuts integers */
		}
	}
	Py_DECREF(items);
	return done;
}

bool packed_from_python(int type, PyObject *object, void *memory) {
	const struct packed_kind *kind = kind_of(type);
	if (Py_IS_TYPE(object, &packed_type) && ((packed_t *)object)->type == type) {
		const void *arguments[] = {((packed_t *)object)->array};
		kind->copy(memory, arguments);
		return true;
	}
	kind->make(memory, NULL);
	bool done;
	if (type != V(STRING) && PyObject_CheckBuffer(object)) {
		Py_buffer view;
		if (PyObject_GetBuffer(object, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) {
			typed_drop(type, memory);
			return false;
		}
		done = buffer_to_packed(type, &view, memory);
		PyBuffer_Release(&view);
	} else {
		done = sequence_to_packed(type, object, memory);
	}
	if (!done) typed_drop(type, memory);
	return done;
}
