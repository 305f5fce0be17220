/* Shared declarations of the binding between the engine and Python. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "godot_tables.h"
#include "host.h"

/* --- The engine's values in memory -------------------------------------------------------------------------------- */
typedef struct { uint64_t words[SIZE_Variant / 8]; } variant_t;
typedef struct { uint64_t word; } name_t;   /* StringName */
typedef struct { uint64_t word; } string_t; /* String */
typedef struct { uint64_t words[8]; } value_t; /* room for a value of any one type */
_Static_assert(SIZE_StringName == 8 && SIZE_String == 8 && SIZE_Variant % 8 == 0 && SIZE_Projection <= 64, "sizes");

enum { TYPE_VARIANT = GDEXTENSION_VARIANT_TYPE_NIL, TYPE_COUNT = GDEXTENSION_VARIANT_TYPE_VARIANT_MAX };

/* --- State of the binding (one interpreter, one extension library) ------------------------------------------------ */
struct binding_state {
	const struct godot_host *host;
	bool running;                    /* Python may be entered */
	bool alive;                      /* Python has not ended yet: its objects can be released */
	PyTypeObject *values[TYPE_COUNT]; /* the Python class for each small value type (Vector3, Color, ...) */
	PyObject *describe;              /* describe(exception) -> (text, function, file, line) */
	PyObject *freed_error;           /* exception for an object that the engine has freed */
	void *refcounted_tag, *node_tag;
};
extern struct binding_state binding;

/* Python is entered from any engine thread; the GIL is held only inside a callback. */
#define ENTER_PYTHON(otherwise) \
	if (!binding.running) return otherwise; \
	PyGILState_STATE gil = PyGILState_Ensure()
#define LEAVE_PYTHON() PyGILState_Release(gil)

/* --- Text (text.c) ------------------------------------------------------------------------------------------------ */
void name_make(name_t *name, const char *text);
bool name_from_python(name_t *name, PyObject *text);
void name_drop(name_t *name);
bool string_from_python(string_t *string, PyObject *text);
void string_drop(string_t *string);
PyObject *string_to_python(const void *string);
PyObject *name_to_python(const void *name);

/* --- Small values: Vector3 and its kin (values.c) ----------------------------------------------------------------- */
bool is_small_value(int type);
PyObject *small_to_python(int type, const void *memory);
bool small_from_python(int type, PyObject *object, void *memory);

/* --- Any value (convert.c). "typed" memory holds a value of a known type; type NIL means a Variant. ---------------- */
void conversion_load(void);
PyObject *typed_to_python(int type, const void *memory);
bool typed_from_python(int type, PyObject *object, void *uninitialized);
bool typed_assign(int type, PyObject *object, void *initialized);
void typed_drop(int type, void *memory);
PyObject *variant_to_python(const variant_t *variant);
bool variant_from_python(variant_t *variant, PyObject *object);
bool variant_from_python_as(int type, variant_t *variant, PyObject *object);

/* --- Packed arrays (packed.c) ------------------------------------------------------------------------------------- */
extern PyTypeObject packed_type;
PyObject *packed_to_python(int type, const void *memory);
bool packed_from_python(int type, PyObject *object, void *uninitialized);
int packed_type_of(PyObject *object); /* the packed type a buffer maps to on its own, or -1 */
void *packed_resize(int type, void *array, int64_t count);
const void *packed_data(int type, const void *array, int64_t *count);

/* --- Objects (object.c) ------------------------------------------------------------------------------------------- */
struct class_info;
typedef struct object {
	PyObject_HEAD
	struct object *before, *after; /* among those that own an engine reference */
	GDExtensionObjectPtr pointer; /* NULL when an instance of a Python class has been freed */
	GDObjectInstanceID id;
	PyObject *inner;         /* a reference to a reference-counted instance of a Python class: that instance */
	struct class_info *info; /* set for an instance of a Python class */
	bool owns;               /* holds one engine reference */
	bool stopped;            /* an exception left one of its callbacks: it gets no more */
	int running;             /* its virtual functions and notifications that the engine is inside of */
} object_t;
extern PyTypeObject object_type;
PyObject *object_to_python(GDExtensionObjectPtr pointer);
GDExtensionObjectPtr object_pointer(PyObject *object); /* NULL with an exception when it was freed */
bool object_is_refcounted(GDExtensionObjectPtr pointer);
void release_references(void); /* drops every engine reference that Python owns */
PyObject *instance_from_id(GDObjectInstanceID id);     /* borrowed: the instance of a Python class, or NULL */

/* --- Calls (call.c) ----------------------------------------------------------------------------------------------- */
extern PyTypeObject method_type, box_type;
PyObject *method_new(PyObject *owner, name_t *name);   /* takes the name */
PyObject *box_new(const variant_t *variant);
const variant_t *box_variant(PyObject *box);
bool owner_variant(PyObject *owner, variant_t *variant);
bool method_parts(PyObject *method, GDExtensionObjectPtr *owner, const name_t **name);
PyObject *singleton(const char *name);                 /* new reference */

/* --- Python callables as engine Callables (callable.c) ------------------------------------------------------------ */
bool callable_from_python(PyObject *function, void *uninitialized);

/* --- Errors (errors.c) -------------------------------------------------------------------------------------------- */
void report_exception(const char *where); /* prints and clears the current exception */
void report_text(const char *text);
void stop_instance(PyObject *instance, const char *method);

/* --- Classes (classes.c, dispatch.c) ------------------------------------------------------------------------------ */
struct virtual_slot {
	name_t name;
	PyObject *method;
	const struct godot_virtual *signature;
};
struct class_info {
	struct class_info *next;
	PyTypeObject *type;
	name_t name, native;
	char text[128];
	bool refcounted;
	struct virtual_slot *virtuals;
	int virtual_count;
	int32_t *notifications; /* codes, and the handler of each */
	PyObject **handlers;
	int notification_count;
	PyObject *validate;          /* name of the method, or NULL */
	PyObject *engine_properties; /* names that belong to the engine's base class */
	PyObject *engine_names;      /* names that Python did not have and the engine did */
	struct method_slot *methods;
};
enum method_kind { METHOD_CALL, METHOD_GET, METHOD_SET };
struct method_slot {
	struct method_slot *next;
	PyObject *name;
	enum method_kind kind;
	int result; /* -1: nothing */
	int count, required;
	uint8_t types[16];
};
PyObject *register_class(PyObject *module, PyObject *arguments);
PyObject *register_property(PyObject *module, PyObject *arguments);
PyObject *register_method(PyObject *module, PyObject *arguments);
PyObject *register_signal(PyObject *module, PyObject *arguments);
PyObject *register_constant(PyObject *module, PyObject *arguments);
PyObject *register_group(PyObject *module, PyObject *arguments);
void unregister_classes(void);
void release_class_objects(void);
void release_classes(void);
void class_callbacks(GDExtensionClassCreationInfo4 *creation);
void method_call(void *slot, void *instance, const GDExtensionConstVariantPtr *arguments, GDExtensionInt count,
		GDExtensionVariantPtr result, GDExtensionCallError *error);
void method_ptrcall(void *slot, void *instance, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result);

/* --- Whole arrays in one call (bulk.c) ---------------------------------------------------------------------------- */
extern PyMethodDef bulk_functions[];
PyMODINIT_FUNC module_init(void);
