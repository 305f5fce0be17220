/* The entry point of the extension: finds Python beside itself, loads it where every C module can see it, and starts
 * the binding. Every failure is one Godot error that says what to do; the game or editor goes on without the addon. */
#define _GNU_SOURCE
#include "host.h"
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static struct godot_host host = {.addon = HOST_ADDON, .help = HOST_HELP};
static char folder[PATH_MAX];
static godot_python_level_func binding_level;
static godot_python_stop_func binding_stop;

static void complain(const char *format, ...) {
	char text[3 * PATH_MAX];
	va_list arguments;
	va_start(arguments, format);
	int length = snprintf(text, sizeof text, "%s: ", host.addon);
	vsnprintf(text + length, sizeof text - length, format, arguments);
	va_end(arguments);
	GDExtensionInterfacePrintError print = (GDExtensionInterfacePrintError)host.find("print_error");
	if (print) print(text, __func__, __FILE__, __LINE__, 1);
}

/* The folder beside this library. Found from the library itself, so that a moved project or an exported game works. */
static int find_folder(void) {
	Dl_info info;
	if (!dladdr((void *)&find_folder, &info) || !info.dli_fname) return 0;
	char path[PATH_MAX];
	if (info.dli_fname[0] == '/') {
		snprintf(path, sizeof path, "%s", info.dli_fname);
	} else {
		char here[PATH_MAX / 2];
		if (!getcwd(here, sizeof here)) return 0;
		snprintf(path, sizeof path, "%s/%.2000s", here, info.dli_fname);
	}
	char *slash = strrchr(path, '/');
	if (!slash) return 0;
	*slash = 0;
	return snprintf(folder, sizeof folder, "%.3500s/%s", path, HOST_FOLDER) > 0;
}

struct other_python {
	char path[PATH_MAX]; /* of a libpython that is already in this process; empty if there is none */
};

static int look_for_python(struct dl_phdr_info *info, size_t size, void *data) {
	(void)size;
	struct other_python *other = data;
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	const char *name = slash ? slash + 1 : info->dlpi_name;
	if (!name || strncmp(name, "libpython3.", 11) != 0) return 0;
	snprintf(other->path, sizeof other->path, "%s", info->dlpi_name);
	return 1;
}

static int load_python(void) {
	char path[PATH_MAX + 64];
	struct other_python other = {""};
	dl_iterate_phdr(look_for_python, &other);
	if (!other.path[0]) {
		if (dlsym(RTLD_DEFAULT, "Py_IsInitialized")) {
			complain("this program already contains a Python of its own, which the addon cannot share. "
					 "Run it with the engine's standard build.");
			return 0;
		}
		snprintf(path, sizeof path, "%s/%s", folder, HOST_LIBPYTHON);
		if (access(path, R_OK) != 0) {
			complain("%s is missing. %s", path, host.help);
			return 0;
		}
		/* Global, because Python's C modules (math, array, ...) find Python's symbols only there. */
		if (dlopen(path, RTLD_NOW | RTLD_GLOBAL)) return 1;
		complain("%s could not be loaded: %s. %s", path, dlerror(), host.help);
		return 0;
	}
	const char *name = strrchr(other.path, '/');
	if (strcmp(name ? name + 1 : other.path, HOST_LIBPYTHON) != 0) {
		complain("another addon has already loaded %s into this process; this one brings %s, and two Pythons cannot "
				 "live together. Disable one of the two addons, or use builds with the same Python version.",
				name ? name + 1 : other.path, HOST_LIBPYTHON);
		return 0;
	}
	host.joined = 1;
	if (dlopen(other.path, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD)) return 1;
	complain("the Python that is already loaded (%s) could not be shared: %s.", other.path, dlerror());
	return 0;
}

static void *load_binding(void) {
	char path[PATH_MAX + 64];
	snprintf(path, sizeof path, "%s/%s", folder, HOST_BINDING);
	if (access(path, R_OK) != 0) {
		complain("%s is missing. %s", path, host.help);
		return NULL;
	}
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) complain("%s could not be loaded: %s. %s", path, dlerror(), host.help);
	return library;
}

static void start(void) {
	if (!find_folder()) {
		complain("the addon cannot find the folder it lies in. %s", host.help);
		return;
	}
	host.folder = folder;
	if (!load_python()) return;
	void *library = load_binding();
	if (!library) return;
	godot_python_start_func binding_start = (godot_python_start_func)dlsym(library, "godot_python_start");
	binding_level = (godot_python_level_func)dlsym(library, "godot_python_level");
	binding_stop = (godot_python_stop_func)dlsym(library, "godot_python_stop");
	if (!binding_start || !binding_level || !binding_stop) {
		complain("%s belongs to another version of the addon. %s", HOST_BINDING, host.help);
		binding_level = NULL;
		binding_stop = NULL;
	} else if (!binding_start(&host)) {
		binding_level = NULL;
		binding_stop = NULL;
	}
}

static void initialize(void *userdata, GDExtensionInitializationLevel level) {
	(void)userdata;
	if (level == GDEXTENSION_INITIALIZATION_SCENE) start();
	if (binding_level) binding_level((int)level);
}

static void deinitialize(void *userdata, GDExtensionInitializationLevel level) {
	(void)userdata;
	if (level == GDEXTENSION_INITIALIZATION_SCENE && binding_stop) binding_stop();
}

EXPORT GDExtensionBool HOST_ENTRY(GDExtensionInterfaceGetProcAddress find, GDExtensionClassLibraryPtr library,
		GDExtensionInitialization *initialization) {
	host.find = find;
	host.library = library;
	initialization->minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE;
	initialization->userdata = NULL;
	initialization->initialize = initialize;
	initialization->deinitialize = deinitialize;
	return 1;
}
