/* The interpreter's life inside the engine: started from the addon's own folder, entered only from callbacks, ended
 * when the engine takes the extension down. */
#include "binding.h"

#define EXPORT __attribute__((visibility("default")))

struct binding_state binding;
static PyThreadState *main_thread;

static void complain(const char *what, const char *detail) {
	char text[4096];
	snprintf(text, sizeof text, "%s: %s%s%s", binding.host->addon, what, detail ? detail : "",
			detail ? "" : binding.host->help);
	report_text(text);
}

static bool add_path(PyWideStringList *list, const char *name) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", binding.host->folder, name);
	wchar_t *wide = Py_DecodeLocale(path, NULL);
	bool done = wide && !PyStatus_Exception(PyWideStringList_Append(list, wide));
	PyMem_RawFree(wide);
	return done;
}

static PyStatus configure(PyConfig *config) {
	PyPreConfig early;
	PyPreConfig_InitIsolatedConfig(&early);
	early.utf8_mode = 1;        /* whatever the locale of the player's machine says */
	early.configure_locale = 0; /* the engine's business */
	PyStatus status = Py_PreInitialize(&early);
	if (PyStatus_Exception(status)) return status;
	PyConfig_InitIsolatedConfig(config);
	config->install_signal_handlers = 0;
	config->site_import = 0;
	config->write_bytecode = 0;
	config->pathconfig_warnings = 0;
	config->module_search_paths_set = 1;
	wchar_t **homes[] = {&config->home, &config->prefix, &config->exec_prefix, &config->base_prefix,
			&config->base_exec_prefix, &config->executable, &config->base_executable, &config->stdlib_dir};
	for (size_t index = 0; index < sizeof homes / sizeof *homes; index++) {
		status = PyConfig_SetBytesString(config, homes[index], binding.host->folder);
		if (PyStatus_Exception(status)) return status;
	}
	const char *paths[] = {HOST_STDLIB, "lib-dynload", "packages"};
	for (size_t index = 0; index < sizeof paths / sizeof *paths; index++) {
		if (!add_path(&config->module_search_paths, paths[index])) return PyStatus_NoMemory();
	}
	return status;
}

static bool start_interpreter(void) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", binding.host->folder, HOST_STDLIB);
	FILE *library = fopen(path, "rb");
	if (!library) {
		snprintf(path + strlen(path), sizeof path - strlen(path), " is missing. ");
		complain(path, NULL);
		return false;
	}
	fclose(library);
	PyConfig config;
	PyStatus status = configure(&config);
	if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
	PyConfig_Clear(&config);
	if (!PyStatus_Exception(status)) return true;
	complain("Python could not start: ", status.err_msg ? status.err_msg : "unknown reason");
	return false;
}

/* An interpreter that somebody else started and owns: our folder goes to the end of its search path. */
static bool join_interpreter(void) {
	char version[32];
	snprintf(version, sizeof version, "%d.%d.", PY_MAJOR_VERSION, PY_MINOR_VERSION);
	if (strncmp(Py_GetVersion(), version, strlen(version)) != 0) {
		complain("another addon runs a different Python in this process: ", Py_GetVersion());
		return false;
	}
	PyObject *paths = PySys_GetObject("path");
	const char *names[] = {HOST_STDLIB, "lib-dynload", "packages"};
	for (size_t index = 0; paths && index < sizeof names / sizeof *names; index++) {
		PyObject *path = PyUnicode_FromFormat("%s/%s", binding.host->folder, names[index]);
		if (path) PyList_Append(paths, path);
		Py_XDECREF(path);
	}
	return paths != NULL;
}

static bool start_addon(void) {
	PyObject *module = module_init();
	if (!module || PyDict_SetItemString(PyImport_GetModuleDict(), "_godot", module) < 0) return false;
	Py_DECREF(module);
	PyObject *addon = PyImport_ImportModule(HOST_MAIN);
	Py_XDECREF(addon);
	return addon != NULL;
}

static void *class_tag(const char *class) {
	name_t name;
	name_make(&name, class);
	void *tag = gd.classdb_get_class_tag(&name);
	name_drop(&name);
	return tag;
}

static bool load_tables(void) {
	const char *missing = godot_load_interface(binding.host->find);
	if (!missing) {
		conversion_load();
		missing = godot_load_methods();
	}
	if (missing) {
		complain("this Godot does not have what the addon was built for; use Godot 4.4 or newer. Missing: ", missing);
		return false;
	}
	binding.refcounted_tag = class_tag("RefCounted");
	binding.node_tag = class_tag("Node");
	return true;
}

static bool started; /* by us, so it is ours to end */

EXPORT int godot_python_start(const struct godot_host *host) {
	binding.host = host;
	if (!gd.print_error) gd.print_error = (GDExtensionInterfacePrintError)host->find("print_error");
	if (!load_tables()) return 0;
	started = !Py_IsInitialized();
	PyGILState_STATE gil = PyGILState_UNLOCKED;
	if (started && !start_interpreter()) return 0;
	if (!started) gil = PyGILState_Ensure();
	bool done = started || join_interpreter();
	/* What is loaded now stays until the end: looking through it for garbage again and again is time lost. */
	if (started) PyGC_Disable();
	binding.running = binding.alive = done;
	if (done && !start_addon()) {
		char text[4096];
		snprintf(text, sizeof text, "%s: its Python part could not start. %s The reason", host->addon, host->help);
		report_exception(text);
		unregister_classes();
		done = binding.running = false;
	}
	if (started) {
		PyGC_Enable();
		main_thread = PyEval_SaveThread();
	} else {
		PyGILState_Release(gil);
	}
	return done;
}

EXPORT void godot_python_level(int level) {
	if (level != GDEXTENSION_INITIALIZATION_EDITOR) return;
	ENTER_PYTHON();
	PyObject *module = PyImport_ImportModule("godot"), *done = NULL;
	if (module) done = PyObject_CallMethod(module, "_editor_started", NULL);
	if (!done) report_exception("the class reference");
	Py_XDECREF(done);
	Py_XDECREF(module);
	LEAVE_PYTHON();
}

EXPORT void godot_python_stop(void) {
	if (!binding.running) return;
	PyGILState_STATE gil = PyGILState_UNLOCKED;
	if (started) {
		PyEval_RestoreThread(main_thread);
	} else {
		gil = PyGILState_Ensure();
	}
	PyObject *module = PyImport_ImportModule("godot"), *done = NULL;
	if (module) done = PyObject_CallMethod(module, "_shutdown", NULL);
	if (!done) report_exception("the end of the addon");
	Py_XDECREF(done);
	Py_XDECREF(module);
	/* Python ends first: the engine must know the classes until the last of their instances has died. */
	binding.running = false;
	release_references();
	release_class_objects();
	Py_CLEAR(binding.describe);
	if (started) {
		Py_FinalizeEx();
	} else {
		PyGC_Collect();
	}
	binding.alive = false;
	unregister_classes();
	release_classes();
	if (!started) PyGILState_Release(gil);
}
