"""A level that changes: an edit depends on the mesh as it is and on the dice alone, so that it can be done again."""


class Ground:
    """The tiles and links of a mesh, and random edits of them."""

    def __init__(self, mesh):
        self.mesh = mesh
        self.tiles = {key: mesh.tile_data(*key) for key in sorted(mesh.tiles())}
        self.links = [link for link, *_ in mesh.links()]

    def edit(self, rng):
        """Take a tile out or put one back, replace one, change a polygon's area or flags, or switch a link."""
        present = sorted(self.mesh.tiles())
        missing = sorted(set(self.tiles) - set(present))
        kind = rng.randrange(6)
        if kind == 0 and len(missing) < len(self.tiles) // 4:
            self.mesh.remove_tile(*rng.choice(present))
        elif kind <= 1 and missing:
            self.mesh.add_tile(self.tiles[rng.choice(missing)])
        elif kind == 2:
            self.mesh.replace_tile(self.tiles[rng.choice(present)])
        elif kind == 3:
            self.mesh.set_poly_area(rng.choice(self.mesh.tile_polygons(*rng.choice(present))), rng.randrange(4))
        elif kind == 4:
            self.mesh.set_poly_flags(rng.choice(self.mesh.tile_polygons(*rng.choice(present))), rng.choice((0, 1, 1)))
        elif self.links:
            self.mesh.set_link_enabled(rng.choice(self.links), rng.random() < 0.6)

    def restore(self):
        """Put every tile back as it was and switch all links on."""
        for key, tile in self.tiles.items():
            if key in self.mesh.tiles():
                self.mesh.replace_tile(tile)
            else:
                self.mesh.add_tile(tile)
        for link in self.links:
            self.mesh.set_link_enabled(link, True)
