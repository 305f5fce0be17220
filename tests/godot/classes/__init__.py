"""Classes that the engine tests register through the binding; nothing of the addon itself is used."""

from sample_classes import life, samples, speed
