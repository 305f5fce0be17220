/* Whole arrays in one call: transforms of many nodes, a MultiMesh's instances, one signal for many objects. Objects are
 * named by instance ids in a 64-bit buffer (0: no object), so a node that was freed meanwhile is skipped, not touched. */
#include "binding.h"

#include <math.h>

typedef struct { float row[3][3], origin[3]; } transform_t;
_Static_assert(sizeof(transform_t) == SIZE_Transform3D, "size of a Transform3D");

enum { MULTIMESH_FLOATS = 12 };

/* A buffer of 64-bit ids ('q', 'Q'), doubles ('d') or floats ('f') with at least `count` items; None gives buf NULL. */
static bool take(PyObject *object, Py_buffer *view, const char *formats, Py_ssize_t count, bool writable, const char *name) {
	*view = (Py_buffer){0};
	if (object == Py_None) return true;
	int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
	if (PyObject_GetBuffer(object, view, flags) < 0) return false;
	char letter = view->format ? view->format[strlen(view->format) - 1] : 'B';
	if (letter == 'l' || letter == 'L') letter = 'q';
	if (strchr(formats, letter) && view->itemsize == (letter == 'f' ? 4 : 8) && view->len / view->itemsize >= count) {
		return true;
	}
	PyErr_Format(PyExc_ValueError, "%s needs a contiguous buffer of %zd or more items of format %s", name, count, formats);
	PyBuffer_Release(view);
	return false;
}

static bool take_ids(PyObject *object, Py_buffer *view, Py_ssize_t *count) {
	if (object == Py_None) {
		PyErr_SetString(PyExc_TypeError, "ids must be a buffer of 64-bit instance ids");
		return false;
	}
	if (!take(object, view, "qQ", 0, false, "ids")) return false;
	*count = view->len / view->itemsize;
	return true;
}

/* Copies what is in a view and gives the view back: the engine calls scripts from within these loops, and what those do
 * may grow or clear the array meanwhile. A view of nothing stays nothing. */
static bool keep(Py_buffer *view, Py_ssize_t bytes, void **copy) {
	*copy = NULL;
	if (!view->buf) return true;
	*copy = PyMem_Malloc(bytes + 1);
	if (*copy) memcpy(*copy, view->buf, bytes);
	PyBuffer_Release(view);
	*view = (Py_buffer){0};
	if (!*copy) PyErr_NoMemory();
	return *copy != NULL;
}

/* Indices gathered in a loop; None while there are none, which is the usual case. */
static bool note(PyObject **list, Py_ssize_t index) {
	if (!*list && !(*list = PyList_New(0))) return false;
	PyObject *number = PyLong_FromSsize_t(index);
	bool done = number && PyList_Append(*list, number) == 0;
	Py_XDECREF(number);
	return done;
}

static PyObject *or_none(PyObject *list) { return list ? list : Py_NewRef(Py_None); }

/* Axes of an upright body that looks along a direction: -Z is forward, as everywhere in the engine. */
static bool facing_axes(const double *direction, float right[3], float back[3]) {
	double length = sqrt(direction[0] * direction[0] + direction[2] * direction[2]);
	if (!(length > 1e-6) || !isfinite(length)) return false;
	back[0] = (float)(-direction[0] / length);
	back[2] = (float)(-direction[2] / length);
	right[0] = back[2];
	right[2] = -back[0];
	right[1] = back[1] = 0.0f;
	return true;
}

static float determinant(const float m[3][3]) {
	return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
			m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Whether a node above is scaled to nothing: then no transform of this one puts it anywhere, and trying loses its own. */
static bool is_flattened(GDExtensionObjectPtr node, const transform_t *place) {
	if (fabsf(determinant(place->row)) > 1e-5f) return false;
	GDExtensionBool is_free = false;
	gd.object_method_bind_ptrcall(METHOD(Node3D, is_set_as_top_level), node, NULL, &is_free);
	GDExtensionObjectPtr parent = NULL;
	gd.object_method_bind_ptrcall(METHOD(Node3D, get_parent_node_3d), node, NULL, &parent);
	if (is_free || !parent) return false;
	transform_t above;
	gd.object_method_bind_ptrcall(METHOD(Node3D, get_global_transform), parent, NULL, &above);
	return determinant(above.row) == 0.0f;
}

static void turn(transform_t *transform, const float right[3], const float back[3]) {
	const float up[3] = {0.0f, 1.0f, 0.0f};
	const float *axes[3] = {right, up, back};
	for (int axis = 0; axis < 3; axis++) {
		float *a = &transform->row[0][axis], *b = &transform->row[1][axis], *c = &transform->row[2][axis];
		float scale = sqrtf(*a * *a + *b * *b + *c * *c);
		*a = axes[axis][0] * scale;
		*b = axes[axis][1] * scale;
		*c = axes[axis][2] * scale;
	}
}

/* Puts a node somewhere, turned if there is a direction; false, and it stays as it is, where a node above is flattened. */
static bool write_node(GDExtensionObjectPtr node, const double *position, const double *direction) {
	transform_t transform;
	gd.object_method_bind_ptrcall(METHOD(Node3D, get_global_transform), node, NULL, &transform);
	if (is_flattened(node, &transform)) return false;
	float right[3], back[3];
	if (direction && facing_axes(direction, right, back)) turn(&transform, right, back);
	for (int axis = 0; axis < 3; axis++) transform.origin[axis] = (float)position[axis];
	const void *arguments[] = {&transform};
	gd.object_method_bind_ptrcall(METHOD(Node3D, set_global_transform), node, arguments, NULL);
	return true;
}

/* write_nodes(ids, positions, facing=None) -> (indices of freed nodes or None, of those that cannot be placed or None) */
static PyObject *write_nodes(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *ids, *positions, *facing = Py_None, *dead = NULL, *flat = NULL;
	Py_buffer id_view, position_view = {0}, facing_view = {0};
	Py_ssize_t count;
	if (!PyArg_ParseTuple(arguments, "OO|O", &ids, &positions, &facing) || !take_ids(ids, &id_view, &count)) return NULL;
	bool done = take(positions, &position_view, "d", 3 * count, false, "positions") &&
			take(facing, &facing_view, "d", 3 * count, false, "facing");
	void *ids_kept, *positions_kept = NULL, *facing_kept = NULL;
	done = keep(&id_view, count * sizeof(uint64_t), &ids_kept) && done &&
			keep(&position_view, 3 * count * sizeof(double), &positions_kept) &&
			keep(&facing_view, 3 * count * sizeof(double), &facing_kept);
	const GDObjectInstanceID *id = ids_kept;
	const double *position = positions_kept, *direction = facing_kept;
	for (Py_ssize_t index = 0; done && position && index < count; index++) {
		if (!id[index]) continue;
		GDExtensionObjectPtr node = gd.object_get_instance_from_id(id[index]);
		if (!node) {
			done = note(&dead, index);
			continue;
		}
		if (!write_node(node, position + 3 * index, direction ? direction + 3 * index : NULL)) done = note(&flat, index);
	}
	PyBuffer_Release(&position_view);
	PyBuffer_Release(&facing_view);
	PyMem_Free(ids_kept);
	PyMem_Free(positions_kept);
	PyMem_Free(facing_kept);
	if (done) return Py_BuildValue("NN", or_none(dead), or_none(flat));
	Py_XDECREF(dead);
	Py_XDECREF(flat);
	return NULL;
}

/* Far from the origin a float is coarser than any fixed tolerance. */
static const double FLOAT_GRAIN = 1.0 / (1 << 21);

static bool differs(const double *expected, const float *found, double tolerance) {
	for (int axis = 0; axis < 3; axis++) {
		double gap = expected[axis] - found[axis], allowed = tolerance + FLOAT_GRAIN * fabs(expected[axis]);
		if (!(gap <= allowed && gap >= -allowed)) return true;
	}
	return false;
}

/* read_nodes(ids, positions, expected=None, tolerance=0.001) -> (indices of freed nodes or None, of moved ones or None) */
static PyObject *read_nodes(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *ids, *positions, *expected = Py_None, *dead = NULL, *moved = NULL;
	Py_buffer id_view, position_view = {0}, expected_view = {0};
	Py_ssize_t count;
	double tolerance = 0.001;
	if (!PyArg_ParseTuple(arguments, "OO|Od", &ids, &positions, &expected, &tolerance)) return NULL;
	if (!take_ids(ids, &id_view, &count)) return NULL;
	bool done = take(positions, &position_view, "d", 3 * count, true, "positions") &&
			take(expected, &expected_view, "d", 3 * count, false, "expected");
	const GDObjectInstanceID *id = id_view.buf;
	double *position = position_view.buf;
	const double *last = expected_view.buf;
	for (Py_ssize_t index = 0; done && position && index < count; index++) {
		if (!id[index]) continue;
		GDExtensionObjectPtr node = gd.object_get_instance_from_id(id[index]);
		if (!node) {
			done = note(&dead, index);
			continue;
		}
		float found[3];
		gd.object_method_bind_ptrcall(METHOD(Node3D, get_global_position), node, NULL, found);
		if (last && differs(last + 3 * index, found, tolerance)) done = note(&moved, index);
		for (int axis = 0; axis < 3; axis++) position[3 * index + axis] = found[axis];
	}
	PyBuffer_Release(&id_view);
	PyBuffer_Release(&position_view);
	PyBuffer_Release(&expected_view);
	if (done) return Py_BuildValue("NN", or_none(dead), or_none(moved));
	Py_XDECREF(dead);
	Py_XDECREF(moved);
	return NULL;
}

static void multimesh_row(float *out, const double *position, const double *direction, float scale) {
	float right[3] = {1.0f, 0.0f, 0.0f}, back[3] = {0.0f, 0.0f, 1.0f};
	if (direction) facing_axes(direction, right, back);
	const float up[3] = {0.0f, 1.0f, 0.0f};
	for (int row = 0; row < 3; row++) {
		out[4 * row] = right[row] * scale;
		out[4 * row + 1] = up[row] * scale;
		out[4 * row + 2] = back[row] * scale;
		out[4 * row + 3] = (float)position[row];
	}
}

/* What a MultiMesh's instance holds beside its transform: what it held before, else white and zeros. */
static void multimesh_extras(float *out, const float *before, int colors, int floats) {
	for (int index = 0; index < floats; index++) out[index] = before ? before[index] : index < 4 * colors ? 1.0f : 0.0f;
}

/* Makes an array of zeros; multimesh_end gives it to the engine. */
static float *multimesh_begin(uint64_t array[2], Py_ssize_t floats) {
	CONSTRUCT(PackedFloat32Array, nothing)(array, NULL);
	float *out = packed_resize(GDEXTENSION_VARIANT_TYPE_PACKED_FLOAT32_ARRAY, array, floats);
	memset(out, 0, floats * sizeof *out);
	return out;
}

static void multimesh_end(uint64_t rid, uint64_t array[2]) {
	name_t name;
	name_make(&name, "RenderingServer");
	GDExtensionObjectPtr server = gd.global_get_singleton(&name);
	name_drop(&name);
	const void *values[] = {&rid, array};
	gd.object_method_bind_ptrcall(METHOD(RenderingServer, multimesh_set_buffer), server, values, NULL);
	typed_drop(GDEXTENSION_VARIANT_TYPE_PACKED_FLOAT32_ARRAY, array);
}

/* fill_multimesh(rid, instances, positions, facing=None, scale=1.0, colors=False, custom_data=False, before=None):
 * `instances` is the MultiMesh's instance_count; those beyond the positions get size zero. `before` is its buffer, from
 * which colours and custom data stay. */
static PyObject *fill_multimesh(PyObject *module, PyObject *arguments) {
	(void)module;
	unsigned long long rid;
	Py_ssize_t instances;
	double scale = 1.0;
	int colors = 0, custom = 0;
	PyObject *positions, *facing = Py_None, *before = Py_None;
	Py_buffer position_view, facing_view = {0}, before_view = {0};
	if (!PyArg_ParseTuple(arguments, "KnO|OdppO", &rid, &instances, &positions, &facing, &scale, &colors, &custom,
				&before)) {
		return NULL;
	}
	if (!take(positions, &position_view, "d", 0, false, "positions")) return NULL;
	Py_ssize_t count = position_view.len / (3 * (Py_ssize_t)sizeof(double));
	if (count > instances) count = instances;
	bool done = take(facing, &facing_view, "d", 3 * count, false, "facing") &&
			take(before, &before_view, "f", 0, false, "before");
	int extras = 4 * (colors + custom), stride = MULTIMESH_FLOATS + extras;
	if (done && instances > 0 && instances < (Py_ssize_t)(INT32_MAX / stride)) {
		uint64_t array[2];
		float *out = multimesh_begin(array, instances * stride);
		const double *position = position_view.buf, *direction = facing_view.buf;
		const float *old = before_view.buf;
		Py_ssize_t known = old ? before_view.len / (Py_ssize_t)(stride * sizeof *old) : 0;
		for (Py_ssize_t index = 0; index < (extras ? instances : count); index++, out += stride) {
			if (index < count) {
				multimesh_row(out, position + 3 * index, direction ? direction + 3 * index : NULL, (float)scale);
			}
			const float *row = index < known ? old + index * stride + MULTIMESH_FLOATS : NULL;
			multimesh_extras(out + MULTIMESH_FLOATS, row, colors, extras);
		}
		multimesh_end(rid, array);
	}
	PyBuffer_Release(&position_view);
	PyBuffer_Release(&facing_view);
	PyBuffer_Release(&before_view);
	return done ? Py_NewRef(Py_None) : NULL;
}

static void emit_vector(GDExtensionObjectPtr object, const variant_t *name, const double *vector) {
	float parts[3] = {(float)vector[0], (float)vector[1], (float)vector[2]};
	variant_t value, result;
	GDExtensionCallError error = {0};
	gd.get_variant_from_type_constructor(GDEXTENSION_VARIANT_TYPE_VECTOR3)(&value, parts);
	const void *arguments[] = {name, &value};
	Py_BEGIN_ALLOW_THREADS
	gd.object_method_bind_call(METHOD(Object, emit_signal), object, arguments, 2, &result, &error);
	Py_END_ALLOW_THREADS
	gd.variant_destroy(&result);
}

/* emit_vectors(ids, signal, vectors) -> indices of freed objects or None: one Vector3 signal for each object */
static PyObject *emit_vectors(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *ids, *signal, *vectors, *dead = NULL;
	Py_buffer id_view, vector_view = {0};
	Py_ssize_t count;
	if (!PyArg_ParseTuple(arguments, "OUO", &ids, &signal, &vectors) || !take_ids(ids, &id_view, &count)) return NULL;
	variant_t name;
	bool named = variant_from_python_as(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &name, signal);
	bool done = named && take(vectors, &vector_view, "d", 3 * count, false, "vectors");
	void *ids_kept, *vectors_kept = NULL;
	done = keep(&id_view, count * sizeof(uint64_t), &ids_kept) && done &&
			keep(&vector_view, 3 * count * sizeof(double), &vectors_kept);
	const GDObjectInstanceID *id = ids_kept;
	for (Py_ssize_t index = 0; done && vectors_kept && index < count; index++) {
		GDExtensionObjectPtr object = id[index] ? gd.object_get_instance_from_id(id[index]) : NULL;
		if (object) {
			emit_vector(object, &name, (const double *)vectors_kept + 3 * index);
		} else if (id[index]) {
			done = note(&dead, index);
		}
	}
	if (named) gd.variant_destroy(&name);
	PyBuffer_Release(&vector_view);
	PyMem_Free(ids_kept);
	PyMem_Free(vectors_kept);
	if (done) return or_none(dead);
	Py_XDECREF(dead);
	return NULL;
}

enum { MOST_QUESTIONS = 12 };

/* A number that stands for what an object answers to methods without arguments, up to the first answer `false`. */
static uint64_t digest_answers(GDExtensionObjectPtr object, const name_t *methods, Py_ssize_t count) {
	variant_t self;
	gd.get_variant_from_type_constructor(GDEXTENSION_VARIANT_TYPE_OBJECT)(&self, &object);
	uint64_t digest = 0x9E3779B97F4A7C15u;
	for (Py_ssize_t index = 0; index < count; index++) {
		variant_t answer;
		GDExtensionCallError error = {0};
		gd.variant_call(&self, &methods[index], NULL, 0, &answer, &error);
		digest = (digest ^ (uint64_t)gd.variant_hash(&answer)) * 0xD6E8FEB86659FD93u;
		digest ^= digest >> 29;
		bool last = error.error != GDEXTENSION_CALL_OK ||
				(gd.variant_get_type(&answer) == GDEXTENSION_VARIANT_TYPE_BOOL && !gd.variant_booleanize(&answer));
		gd.variant_destroy(&answer);
		if (last) break;
	}
	gd.variant_destroy(&self);
	return digest;
}

/* notice_changes(ids, methods, seen) -> indices of objects that answer otherwise than before or are gone, or None.
 * `seen` keeps a number for each object; 0 is one that nobody answers with. */
static PyObject *notice_changes(PyObject *module, PyObject *arguments) {
	(void)module;
	PyObject *ids, *methods, *seen, *changed = NULL;
	Py_buffer id_view, seen_view = {0};
	Py_ssize_t count, asked, made = 0;
	if (!PyArg_ParseTuple(arguments, "OO!O", &ids, &PyTuple_Type, &methods, &seen) || !take_ids(ids, &id_view, &count)) {
		return NULL;
	}
	name_t names[MOST_QUESTIONS];
	asked = PyTuple_GET_SIZE(methods);
	bool done = take(seen, &seen_view, "qQ", count, true, "seen");
	if (done && asked > MOST_QUESTIONS) {
		PyErr_Format(PyExc_ValueError, "methods: at most %d", MOST_QUESTIONS);
		done = false;
	}
	for (; done && made < asked; made += done) {
		const char *text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(methods, made));
		if (text) {
			name_make(&names[made], text);
		} else {
			done = false;
		}
	}
	const GDObjectInstanceID *id = id_view.buf;
	uint64_t *known = seen_view.buf;
	for (Py_ssize_t index = 0; done && known && index < count; index++) {
		GDExtensionObjectPtr object = id[index] ? gd.object_get_instance_from_id(id[index]) : NULL;
		uint64_t now = object ? digest_answers(object, names, asked) | 2 : 1;
		if (now == known[index]) continue;
		known[index] = now;
		done = note(&changed, index);
	}
	while (made > 0) name_drop(&names[--made]);
	PyBuffer_Release(&id_view);
	PyBuffer_Release(&seen_view);
	if (done) return or_none(changed);
	Py_XDECREF(changed);
	return NULL;
}

PyMethodDef bulk_functions[] = {
		{"notice_changes", notice_changes, METH_VARARGS, "Tells which of many objects answer otherwise than before."},
		{"write_nodes", write_nodes, METH_VARARGS, "Sets the global positions of many Node3D, and turns them if asked."},
		{"read_nodes", read_nodes, METH_VARARGS, "Reads the global positions of many Node3D, noticing those that moved."},
		{"fill_multimesh", fill_multimesh, METH_VARARGS, "Sets all instance transforms of a MultiMesh at once."},
		{"emit_vectors", emit_vectors, METH_VARARGS, "Emits one signal with a Vector3 for each of many objects."},
		{NULL, NULL, 0, NULL},
};
