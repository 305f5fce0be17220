/* What the host library hands to the binding library. The host itself knows nothing of Python's types, so that it
 * loads on any machine and can say in plain words what is missing. */
#pragma once
#include <gdextension_interface.h>

struct godot_host {
	GDExtensionInterfaceGetProcAddress find;
	GDExtensionClassLibraryPtr library;
	const char *addon;  /* the addon's name, for messages */
	const char *help;   /* what a user does when a part of it is missing */
	const char *folder; /* absolute path of the folder with Python and the addon's code */
	int joined;         /* another part of this process has already loaded the same Python */
};

/* Exported by the binding library. `start` returns 0 after it has printed one error saying why it could not. */
typedef int (*godot_python_start_func)(const struct godot_host *host);
typedef void (*godot_python_level_func)(int level);
typedef void (*godot_python_stop_func)(void);
