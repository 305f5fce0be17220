// The fields of the benchmark recipe, and the Detour mesh of a field: a quad per free cell, tiles of 32 x 32 cells.

#pragma once

#include <DetourNavMesh.h>
#include <DetourNavMeshBuilder.h>
#include <DetourNavMeshQuery.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace world {

constexpr float kCell = 2.0f;
constexpr int kTileCells = 32;

[[noreturn]] void fail(const std::string& what)
{
    std::printf("{\"error\": \"%s\"}\n", what.c_str());
    std::exit(1);
}

struct Point { float v[3]; };

Point ground(double x, double z) { return {{static_cast<float>(x), 0.0f, static_cast<float>(z)}}; }

struct Leg { Point from, to; };

struct Field
{
    int width = 0;
    std::vector<uint8_t> free;
    std::vector<Leg> pairs, agents;
};

std::vector<Leg> read_legs(std::ifstream& in)
{
    int32_t count = 0;
    in.read(reinterpret_cast<char*>(&count), sizeof count);
    if (!in || count < 0) fail("damaged field file");
    std::vector<double> numbers(4 * static_cast<size_t>(count));
    in.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(double)));
    std::vector<Leg> legs;
    for (size_t i = 0; i + 3 < numbers.size(); i += 4)
        legs.push_back({ground(numbers[i], numbers[i + 1]), ground(numbers[i + 2], numbers[i + 3])});
    return legs;
}

Field read_field(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    int32_t width = 0;
    in.read(reinterpret_cast<char*>(&width), sizeof width);
    if (!in || width < 1) fail("cannot read the field file");
    Field field;
    field.width = width;
    field.free.resize(static_cast<size_t>(width) * width);
    in.read(reinterpret_cast<char*>(field.free.data()), static_cast<std::streamsize>(field.free.size()));
    field.pairs = read_legs(in);
    field.agents = read_legs(in);
    if (!in) fail("damaged field file");
    return field;
}

struct MeshDeleter { void operator()(dtNavMesh* mesh) const { dtFreeNavMesh(mesh); } };
using Mesh = std::unique_ptr<dtNavMesh, MeshDeleter>;

// One tile as Detour's builder wants it: a corner lattice, and a quad with its four neighbours per free cell.
class TileSource
{
public:
    TileSource(const Field& field, int tile_x, int tile_z)
        : field_(field), first_x_(tile_x * kTileCells), first_z_(tile_z * kTileCells),
          columns_(std::min(kTileCells, field.width - first_x_)), rows_(std::min(kTileCells, field.width - first_z_))
    {
        number_polygons();
        add_corners();
        add_polygons();
        params_.tileX = tile_x;
        params_.tileY = tile_z;
        finish_params();
    }

    int count() const { return count_; }

    // Builds the tile into the mesh and returns its size in bytes.
    int add_to(dtNavMesh& mesh)
    {
        unsigned char* data = nullptr;
        int size = 0;
        if (!dtCreateNavMeshData(&params_, &data, &size)) fail("dtCreateNavMeshData refused a tile");
        if (dtStatusFailed(mesh.addTile(data, size, DT_TILE_FREE_DATA, 0, nullptr))) fail("addTile failed");
        return size;
    }

private:
    static constexpr int kVertices = 4;

    bool is_free(int x, int z) const
    {
        return x >= 0 && z >= 0 && x < field_.width && z < field_.width && field_.free[z * field_.width + x];
    }

    bool inside(int x, int z) const
    {
        return x >= first_x_ && z >= first_z_ && x < first_x_ + columns_ && z < first_z_ + rows_;
    }

    int& number(int x, int z) { return numbers_[(z - first_z_) * columns_ + x - first_x_]; }

    void number_polygons()
    {
        numbers_.assign(static_cast<size_t>(columns_) * rows_, -1);
        for (int z = first_z_; z < first_z_ + rows_; z++)
            for (int x = first_x_; x < first_x_ + columns_; x++)
                if (is_free(x, z)) number(x, z) = count_++;
    }

    void add_corners()
    {
        for (int z = 0; z <= rows_; z++)
            for (int x = 0; x <= columns_; x++)
                for (int value : {x, 0, z}) corners_.push_back(static_cast<unsigned short>(value));
    }

    unsigned short beside(int x, int z, int side)
    {
        if (!is_free(x, z)) return 0xffff;
        return static_cast<unsigned short>(inside(x, z) ? number(x, z) : 0x8000 | side);
    }

    void add_polygons()
    {
        const int stride = columns_ + 1;
        for (int z = first_z_; z < first_z_ + rows_; z++)
            for (int x = first_x_; x < first_x_ + columns_; x++) {
                if (!is_free(x, z)) continue;
                const int corner = (z - first_z_) * stride + x - first_x_;
                for (int vertex : {corner, corner + stride, corner + stride + 1, corner + 1})
                    polygons_.push_back(static_cast<unsigned short>(vertex));
                polygons_.push_back(beside(x - 1, z, 0));
                polygons_.push_back(beside(x, z + 1, 1));
                polygons_.push_back(beside(x + 1, z, 2));
                polygons_.push_back(beside(x, z - 1, 3));
            }
        flags_.assign(static_cast<size_t>(count_), 1);
        areas_.assign(static_cast<size_t>(count_), 0);
    }

    void finish_params()
    {
        params_.verts = corners_.data();
        params_.vertCount = static_cast<int>(corners_.size() / 3);
        params_.polys = polygons_.data();
        params_.polyFlags = flags_.data();
        params_.polyAreas = areas_.data();
        params_.polyCount = count_;
        params_.nvp = kVertices;
        params_.bmin[0] = first_x_ * kCell;
        params_.bmin[2] = first_z_ * kCell;
        params_.bmax[0] = (first_x_ + columns_) * kCell;
        params_.bmax[1] = 1.0f;
        params_.bmax[2] = (first_z_ + rows_) * kCell;
        params_.walkableHeight = 2.0f;
        params_.walkableClimb = 0.9f;
        params_.cs = kCell;
        params_.ch = kCell;
        params_.buildBvTree = true;
    }

    const Field& field_;
    int first_x_, first_z_, columns_, rows_, count_ = 0;
    std::vector<int> numbers_;
    std::vector<unsigned short> corners_, polygons_, flags_;
    std::vector<unsigned char> areas_;
    dtNavMeshCreateParams params_ = {};
};

struct Built { Mesh mesh; int polygons = 0; long bytes = 0; };

Built build_mesh(const Field& field)
{
    const int tiles = (field.width + kTileCells - 1) / kTileCells;
    dtNavMeshParams params = {};
    params.tileWidth = params.tileHeight = kTileCells * kCell;
    params.maxTiles = tiles * tiles;
    params.maxPolys = kTileCells * kTileCells;
    Built built;
    built.mesh.reset(dtAllocNavMesh());
    if (dtStatusFailed(built.mesh->init(&params))) fail("dtNavMesh::init failed");
    for (int z = 0; z < tiles; z++)
        for (int x = 0; x < tiles; x++) {
            TileSource source(field, x, z);
            if (source.count() == 0) continue;
            built.polygons += source.count();
            built.bytes += source.add_to(*built.mesh);
        }
    return built;
}

} // namespace world
