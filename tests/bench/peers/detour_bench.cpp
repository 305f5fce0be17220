// Times Detour and DetourCrowd on the worlds of the benchmark recipe.
//
// The program reads one command per line on standard input and answers each with one JSON line, so that the harness
// can take turns between this library and its own within one run. Times are processor time of this process in
// nanoseconds: on a busy machine they do not count the time that others had the core.

#include "detour_world.hpp"

#include <DetourAlloc.h>
#include <DetourCrowd.h>
#include <DetourNode.h>
#include <DetourObstacleAvoidance.h>

#include <cmath>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <time.h>

namespace {

using namespace world;

constexpr int kSearchNodes = 65535;    // the most that a query of this version takes
constexpr int kPathCapacity = 4096;
constexpr int kCorridorCapacity = 255; // Debian's build aborts on a crowd corridor of 256 polygons or more
constexpr int kMaxCorners = 256;
constexpr float kExtents[3] = {2.0f, 4.0f, 2.0f};
constexpr float kRadius = 0.6f, kHeight = 2.0f, kSpeed = 3.5f, kAcceleration = 8.0f;

double now_ns()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

// Counts the bytes that Detour holds, to say what an agent of a crowd takes.
size_t g_held = 0;

void* counting_alloc(size_t size, dtAllocHint)
{
    auto* block = static_cast<size_t*>(std::malloc(size + 16));
    if (!block) return nullptr;
    block[0] = size;
    g_held += size;
    return reinterpret_cast<char*>(block) + 16;
}

void counting_free(void* pointer)
{
    if (!pointer) return;
    auto* block = reinterpret_cast<size_t*>(static_cast<char*>(pointer) - 16);
    g_held -= block[0];
    std::free(block);
}

struct QueryDeleter { void operator()(dtNavMeshQuery* query) const { dtFreeNavMeshQuery(query); } };
struct CrowdDeleter { void operator()(dtCrowd* crowd) const { dtFreeCrowd(crowd); } };
using Query = std::unique_ptr<dtNavMeshQuery, QueryDeleter>;
using CrowdPtr = std::unique_ptr<dtCrowd, CrowdDeleter>;

Query new_query(const dtNavMesh& mesh, int nodes)
{
    Query query(dtAllocNavMeshQuery());
    if (dtStatusFailed(query->init(&mesh, nodes))) fail("dtNavMeshQuery::init failed");
    return query;
}

struct Route { Leg leg; std::vector<dtPolyRef> polygons; };

class Bench
{
public:
    void load(const std::string& path)
    {
        crowds_.clear();
        queries_.clear();
        field_ = read_field(path);
        built_ = build_mesh(field_);
        routes_.clear();
        agent_routes_.clear();
        pair_refs_ = refs_of(field_.pairs);
        agent_refs_ = refs_of(field_.agents);
        std::printf("{\"polygons\": %d, \"bytes\": %ld, \"pairs\": %zu, \"agents\": %zu}\n", built_.polygons,
                    built_.bytes, field_.pairs.size(), field_.agents.size());
    }

    void build(int repeats)
    {
        const double begin = now_ns();
        for (int pass = 0; pass < repeats; pass++) build_mesh(field_);
        std::ostringstream more;
        more << "\"bytes\": " << built_.bytes << ", \"polygons\": " << built_.polygons;
        report(now_ns() - begin, static_cast<double>(repeats) * built_.polygons, more.str());
    }

    void nearest(double half_width, size_t places, int repeats)
    {
        dtNavMeshQuery& query = query_of(kSearchNodes);
        const float extents[3] = {static_cast<float>(half_width), 4.0f, static_cast<float>(half_width)};
        size_t found = 0;
        const double begin = now_ns();
        for (int pass = 0; pass < repeats; pass++)
            for (size_t i = 0; i < places; i++) {
                dtPolyRef ref = 0;
                float place[3];
                query.findNearestPoly(field_.agents[i].from.v, extents, &filter_, &ref, place);
                found += ref != 0;
            }
        report(now_ns() - begin, repeats * places, "\"found\": " + std::to_string(found / repeats));
    }

    void find_path(int nodes, int repeats)
    {
        dtNavMeshQuery& query = query_of(nodes);
        std::vector<dtPolyRef> buffer(kPathCapacity);
        size_t visited = 0, complete = 0;
        const double begin = now_ns();
        for (int pass = 0; pass < repeats; pass++)
            for (size_t i = 0; i < field_.pairs.size(); i++) {
                const int count = search(query, i, buffer);
                visited += static_cast<size_t>(query.getNodePool()->getNodeCount());
                complete += count > 0 && buffer[count - 1] == pair_refs_[i].second;
            }
        const double elapsed = now_ns() - begin;
        const double searches = static_cast<double>(repeats) * field_.pairs.size();
        std::ostringstream more;
        more << "\"nodes\": " << visited / searches << ", \"complete\": " << complete / searches;
        report(elapsed, searches, more.str());
    }

    // String-pulls the routes of all pairs; the length of the whole walks over the straight distance comes along.
    void straight(int max_corners, int repeats)
    {
        dtNavMeshQuery& query = query_of(kSearchNodes);
        if (routes_.empty()) find_routes(query);
        std::vector<float> corners(3 * kMaxCorners);
        std::vector<unsigned char> flags(kMaxCorners);
        std::vector<dtPolyRef> refs(kMaxCorners);
        size_t corner_total = 0;
        double walked = 0, direct = 0;
        int count = 0;
        const double begin = now_ns();
        for (int pass = 0; pass < repeats; pass++)
            for (const Route& route : routes_) {
                query.findStraightPath(route.leg.from.v, route.leg.to.v, route.polygons.data(),
                                       static_cast<int>(route.polygons.size()), corners.data(), flags.data(),
                                       refs.data(), &count, max_corners);
                corner_total += count;
            }
        const double elapsed = now_ns() - begin;
        for (const Route& route : routes_) {
            query.findStraightPath(route.leg.from.v, route.leg.to.v, route.polygons.data(),
                                   static_cast<int>(route.polygons.size()), corners.data(), flags.data(), refs.data(),
                                   &count, kMaxCorners);
            for (int i = 1; i < count; i++) walked += distance(&corners[3 * i - 3], &corners[3 * i]);
            direct += distance(route.leg.from.v, route.leg.to.v);
        }
        const double calls = static_cast<double>(repeats) * routes_.size();
        std::ostringstream more;
        more << "\"corners\": " << corner_total / calls << ", \"length_ratio\": " << walked / direct;
        report(elapsed, calls, more.str());
    }

    void raycast(double length, size_t places, int repeats)
    {
        dtNavMeshQuery& query = query_of(kSearchNodes);
        const std::vector<Leg> rays = cut(length, places);
        dtPolyRef crossed[256];
        size_t hits = 0;
        const double begin = now_ns();
        for (int pass = 0; pass < repeats; pass++)
            for (size_t i = 0; i < rays.size(); i++) {
                float t = 0, normal[3];
                int count = 0;
                query.raycast(agent_refs_[i].first, rays[i].from.v, rays[i].to.v, &filter_, &t, normal, crossed, &count,
                              256);
                hits += t <= 1.0f;
            }
        report(now_ns() - begin, repeats * rays.size(), "\"hits\": " + std::to_string(hits / repeats));
    }

    void move(double length, size_t places, int repeats)
    {
        dtNavMeshQuery& query = query_of(kSearchNodes);
        const std::vector<Leg> legs = cut(length, places);
        dtPolyRef visited[64];
        double travelled = 0;
        const double begin = now_ns();
        for (int pass = 0; pass < repeats; pass++)
            for (size_t i = 0; i < legs.size(); i++) {
                float end[3];
                int count = 0;
                query.moveAlongSurface(agent_refs_[i].first, legs[i].from.v, legs[i].to.v, &filter_, end, visited,
                                       &count, 64);
                travelled += end[0] - legs[i].from.v[0] + end[2] - legs[i].from.v[2];
            }
        report(now_ns() - begin, repeats * legs.size(), "\"travelled\": " + std::to_string(travelled / repeats));
    }

    // Places agents with the corridor of a finished search each, so that no step waits for the crowd's path queue.
    void start_crowd(int count, const std::string& mode)
    {
        crowds_.erase(mode);
        const size_t before = g_held;
        CrowdPtr crowd = new_crowd(count);
        const size_t whole = g_held - before;
        CrowdPtr smaller = new_crowd(count / 2);
        const double per_agent = (2.0 * whole - (g_held - before)) / (count - count / 2);
        smaller.reset();
        dtCrowdAgentParams params = agent_params(mode);
        while (agent_routes_.size() < static_cast<size_t>(count)) agent_routes_.push_back(agent_route());
        for (int i = 0; i < count; i++) {
            const int slot = crowd->addAgent(field_.agents[i].from.v, &params);
            if (slot < 0) fail("addAgent failed");
            give_route(*crowd->getEditableAgent(slot), i);
        }
        crowds_[mode] = std::move(crowd);
        std::printf("{\"agents\": %d, \"bytes_per_agent\": %.1f}\n", count, per_agent);
    }

    void step_crowd(const std::string& mode, int ticks)
    {
        dtCrowd& crowd = crowd_of(mode);
        const double begin = now_ns();
        for (int i = 0; i < ticks; i++) crowd.update(1.0f / 60.0f, nullptr);
        const double elapsed = now_ns() - begin;
        double speed = 0;
        int walking = 0;
        for (int i = 0; i < crowd.getAgentCount(); i++) {
            const dtCrowdAgent& agent = *crowd.getAgent(i);
            if (!agent.active) continue;
            speed += std::sqrt(agent.vel[0] * agent.vel[0] + agent.vel[2] * agent.vel[2]);
            walking += agent.targetState == DT_CROWDAGENT_TARGET_VALID;
        }
        std::ostringstream more;
        more << "\"mean_speed\": " << speed / crowd.getAgentCount() << ", \"with_path\": " << walking;
        report(elapsed, static_cast<double>(ticks) * crowd.getAgentCount(), more.str());
    }

    // Deepest overlap, and how many pairs overlap by more than a tenth of their combined radius.
    void overlaps(const std::string& mode)
    {
        dtCrowd& crowd = crowd_of(mode);
        int pairs = 0;
        double deepest = 0;
        for (int i = 0; i < crowd.getAgentCount(); i++)
            for (int j = 0; j < i; j++) {
                const double gap = distance(crowd.getAgent(i)->npos, crowd.getAgent(j)->npos);
                deepest = std::max(deepest, 2 * kRadius - gap);
                pairs += 2 * kRadius - gap > 0.1 * 2 * kRadius;
            }
        std::printf("{\"pairs\": %d, \"deepest\": %.4f}\n", pairs, deepest);
    }

private:
    static double distance(const float* a, const float* b)
    {
        const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
        return std::sqrt(x * x + y * y + z * z);
    }

    static void report(double elapsed, double calls, const std::string& more)
    {
        std::printf("{\"ns\": %.1f, \"calls\": %.0f, %s}\n", elapsed, calls, more.c_str());
    }

    dtNavMeshQuery& query_of(int nodes)
    {
        Query& query = queries_[nodes];
        if (!query) query = new_query(*built_.mesh, nodes);
        return *query;
    }

    dtPolyRef ref_at(const Point& place)
    {
        dtPolyRef ref = 0;
        float nearest[3];
        query_of(kSearchNodes).findNearestPoly(place.v, kExtents, &filter_, &ref, nearest);
        if (!ref) fail("a place of the recipe is off the mesh");
        return ref;
    }

    std::vector<std::pair<dtPolyRef, dtPolyRef>> refs_of(const std::vector<Leg>& legs)
    {
        std::vector<std::pair<dtPolyRef, dtPolyRef>> refs;
        for (const Leg& leg : legs) refs.emplace_back(ref_at(leg.from), ref_at(leg.to));
        return refs;
    }

    int search(dtNavMeshQuery& query, size_t i, std::vector<dtPolyRef>& buffer) const
    {
        int count = 0;
        query.findPath(pair_refs_[i].first, pair_refs_[i].second, field_.pairs[i].from.v, field_.pairs[i].to.v, &filter_,
                       buffer.data(), &count, kPathCapacity);
        return count;
    }

    void find_routes(dtNavMeshQuery& query)
    {
        std::vector<dtPolyRef> buffer(kPathCapacity);
        for (size_t i = 0; i < field_.pairs.size(); i++) {
            const int count = search(query, i, buffer);
            routes_.push_back({field_.pairs[i], {buffer.begin(), buffer.begin() + count}});
        }
    }

    std::vector<Leg> cut(double length, size_t places) const
    {
        std::vector<Leg> legs;
        for (size_t i = 0; i < places; i++) {
            const Leg& leg = field_.agents[i];
            const double part = length / distance(leg.from.v, leg.to.v);
            legs.push_back({leg.from, ground(leg.from.v[0] + (leg.to.v[0] - leg.from.v[0]) * part,
                                             leg.from.v[2] + (leg.to.v[2] - leg.from.v[2]) * part)});
        }
        return legs;
    }

    dtCrowd& crowd_of(const std::string& mode)
    {
        const auto found = crowds_.find(mode);
        if (found == crowds_.end()) fail("no crowd of mode " + mode);
        return *found->second;
    }

    CrowdPtr new_crowd(int count)
    {
        CrowdPtr crowd(dtAllocCrowd());
        if (!crowd->init(count, kRadius, built_.mesh.get())) fail("dtCrowd::init failed");
        set_avoidance(*crowd, 0, 5, 2, 2);
        set_avoidance(*crowd, 1, 7, 3, 3);
        return crowd;
    }

    static void set_avoidance(dtCrowd& crowd, int index, int divisions, int rings, int depth)
    {
        dtObstacleAvoidanceParams params = *crowd.getObstacleAvoidanceParams(0);
        params.velBias = 0.5f;
        params.adaptiveDivs = static_cast<unsigned char>(divisions);
        params.adaptiveRings = static_cast<unsigned char>(rings);
        params.adaptiveDepth = static_cast<unsigned char>(depth);
        crowd.setObstacleAvoidanceParams(index, &params);
    }

    static dtCrowdAgentParams agent_params(const std::string& mode)
    {
        dtCrowdAgentParams params = {};
        params.radius = kRadius;
        params.height = kHeight;
        params.maxAcceleration = kAcceleration;
        params.maxSpeed = kSpeed;
        params.collisionQueryRange = 12.0f * kRadius;
        params.pathOptimizationRange = 30.0f * kRadius;
        params.updateFlags = DT_CROWD_ANTICIPATE_TURNS | DT_CROWD_OPTIMIZE_VIS | DT_CROWD_OPTIMIZE_TOPO;
        if (mode != "off") params.updateFlags |= DT_CROWD_OBSTACLE_AVOIDANCE;
        params.obstacleAvoidanceType = mode == "high" ? 1 : 0;
        return params;
    }

    std::vector<dtPolyRef> agent_route()
    {
        const size_t i = agent_routes_.size();
        const Leg& leg = field_.agents.at(i);
        std::vector<dtPolyRef> route(kPathCapacity);
        int count = 0;
        query_of(kSearchNodes).findPath(agent_refs_[i].first, agent_refs_[i].second, leg.from.v, leg.to.v, &filter_,
                                        route.data(), &count, kPathCapacity);
        route.resize(static_cast<size_t>(std::min(count, kCorridorCapacity)));
        return route;
    }

    void give_route(dtCrowdAgent& agent, int i)
    {
        const std::vector<dtPolyRef>& route = agent_routes_[i];
        Point target = field_.agents[i].to;
        if (route.back() != agent_refs_[i].second)
            query_of(kSearchNodes).closestPointOnPoly(route.back(), field_.agents[i].to.v, target.v, nullptr);
        agent.corridor.setCorridor(target.v, route.data(), static_cast<int>(route.size()));
        agent.targetRef = agent_refs_[i].second;
        std::memcpy(agent.targetPos, field_.agents[i].to.v, sizeof agent.targetPos);
        agent.targetState = DT_CROWDAGENT_TARGET_VALID;
        agent.targetReplan = false;
        agent.targetReplanTime = 0;
        agent.partial = false;
    }

    Field field_;
    Built built_;
    std::map<int, Query> queries_;
    dtQueryFilter filter_;
    std::vector<std::pair<dtPolyRef, dtPolyRef>> pair_refs_, agent_refs_;
    std::vector<Route> routes_;
    std::vector<std::vector<dtPolyRef>> agent_routes_;
    std::map<std::string, CrowdPtr> crowds_; // after the mesh they stand on, so that they go first
};

bool answer(Bench& bench, std::istringstream& line)
{
    std::string verb, word;
    line >> verb;
    double number = 0;
    size_t places = 0;
    int count = 1;
    if (verb == "quit") return false;
    if (verb == "load") line >> std::quoted(word), bench.load(word);
    else if (verb == "build") line >> count, bench.build(count);
    else if (verb == "nearest") line >> number >> places >> count, bench.nearest(number, places, count);
    else if (verb == "find_path") line >> number >> count, bench.find_path(static_cast<int>(number), count);
    else if (verb == "straight") line >> number >> count, bench.straight(static_cast<int>(number), count);
    else if (verb == "raycast") line >> number >> places >> count, bench.raycast(number, places, count);
    else if (verb == "move") line >> number >> places >> count, bench.move(number, places, count);
    else if (verb == "crowd") line >> count >> word, bench.start_crowd(count, word);
    else if (verb == "step") line >> word >> count, bench.step_crowd(word, count);
    else if (verb == "overlaps") line >> word, bench.overlaps(word);
    else fail("unknown command " + verb);
    std::fflush(stdout);
    return true;
}

} // namespace

int main()
{
    dtAllocSetCustom(counting_alloc, counting_free);
    Bench bench;
    std::string text;
    while (std::getline(std::cin, text)) {
        std::istringstream line(text);
        if (!answer(bench, line)) break;
    }
    return 0;
}
