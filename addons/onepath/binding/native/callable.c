/* Python functions as engine Callables, to be connected to signals or called later. A bound method of an instance that
 * the engine owns is held by the instance's id, so that a connection never keeps its receiver alive. */
#include "binding.h"

struct python_callable {
	PyObject *function;
	GDObjectInstanceID receiver; /* 0: the function is called as it is */
};

static PyObject *call_function(struct python_callable *self, const GDExtensionConstVariantPtr *arguments, int64_t count) {
	PyObject *instance = self->receiver ? instance_from_id(self->receiver) : NULL;
	if (self->receiver && !instance) {
		PyErr_SetString(binding.freed_error, "the receiver has been freed");
		return NULL;
	}
	int first = instance ? 1 : 0;
	PyObject *tuple = PyTuple_New(count + first);
	if (!tuple) return NULL;
	if (instance) PyTuple_SET_ITEM(tuple, 0, Py_NewRef(instance));
	for (int64_t index = 0; index < count; index++) {
		PyObject *item = variant_to_python(arguments[index]);
		if (!item) {
			Py_DECREF(tuple);
			return NULL;
		}
		PyTuple_SET_ITEM(tuple, index + first, item);
	}
	PyObject *answer = PyObject_CallObject(self->function, tuple);
	Py_DECREF(tuple);
	return answer;
}

static void callable_call(void *userdata, const GDExtensionConstVariantPtr *arguments, GDExtensionInt count,
		GDExtensionVariantPtr result, GDExtensionCallError *error) {
	struct python_callable *self = userdata;
	error->error = GDEXTENSION_CALL_OK;
	ENTER_PYTHON();
	PyObject *instance = self->receiver ? instance_from_id(self->receiver) : NULL;
	if (!instance || !((object_t *)instance)->stopped) {
		Py_XINCREF(instance);
		PyObject *answer = call_function(self, arguments, count);
		variant_t value;
		if (answer && variant_from_python(&value, answer)) {
			gd.variant_destroy(result);
			memcpy(result, &value, sizeof value);
		} else {
			PyObject *name = PyObject_GetAttrString(self->function, "__name__");
			if (!name) PyErr_Clear();
			stop_instance(instance, name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : "callable");
			Py_XDECREF(name);
		}
		Py_XDECREF(answer);
		Py_XDECREF(instance);
	}
	LEAVE_PYTHON();
}

static GDExtensionBool callable_valid(void *userdata) {
	struct python_callable *self = userdata;
	return binding.running && (!self->receiver || gd.object_get_instance_from_id(self->receiver));
}

static void callable_free(void *userdata) {
	struct python_callable *self = userdata;
	if (binding.alive) {
		PyGILState_STATE gil = PyGILState_Ensure();
		Py_DECREF(self->function);
		PyGILState_Release(gil);
	}
	PyMem_RawFree(self);
}

static uint32_t callable_hash(void *userdata) {
	struct python_callable *self = userdata;
	uint64_t mixed = (uint64_t)(uintptr_t)self->function * 0x9E3779B97F4A7C15u + self->receiver;
	return (uint32_t)(mixed ^ (mixed >> 32));
}

static GDExtensionBool callable_equal(void *left, void *right) {
	struct python_callable *a = left, *b = right;
	return a->function == b->function && a->receiver == b->receiver;
}

static GDExtensionBool callable_less(void *left, void *right) {
	struct python_callable *a = left, *b = right;
	return a->function != b->function ? (uintptr_t)a->function < (uintptr_t)b->function : a->receiver < b->receiver;
}

bool callable_from_python(PyObject *function, void *uninitialized) {
	GDExtensionObjectPtr owner;
	const name_t *name;
	if (function == Py_None) {
		CONSTRUCT(Callable, nothing)(uninitialized, NULL);
		return true;
	}
	if (method_parts(function, &owner, &name)) {
		if (!owner) return false;
		const void *arguments[] = {&owner, name};
		CONSTRUCT(Callable, Object_and_StringName)(uninitialized, arguments);
		return true;
	}
	if (!PyCallable_Check(function)) {
		PyErr_Format(PyExc_TypeError, "Callable needs a function, got %.80s", Py_TYPE(function)->tp_name);
		return false;
	}
	struct python_callable *self = PyMem_RawCalloc(1, sizeof *self);
	if (!self) {
		PyErr_NoMemory();
		return false;
	}
	self->function = function;
	if (PyMethod_Check(function)) {
		PyObject *receiver = PyMethod_GET_SELF(function);
		if (PyObject_TypeCheck(receiver, &object_type) && ((object_t *)receiver)->info) {
			self->receiver = ((object_t *)receiver)->id;
			self->function = PyMethod_GET_FUNCTION(function);
		}
	}
	Py_INCREF(self->function);
	GDExtensionCallableCustomInfo2 info = {
			.callable_userdata = self,
			.token = binding.host->library,
			.object_id = self->receiver,
			.call_func = callable_call,
			.is_valid_func = callable_valid,
			.free_func = callable_free,
			.hash_func = callable_hash,
			.equal_func = callable_equal,
			.less_than_func = callable_less,
	};
	gd.callable_custom_create2(uninitialized, &info);
	return true;
}
