// What is common to jobs that only read files made by another run: a verification of what a crash left, and a reader of another host's
// files. They show the files' progress, watch their requests, and collect their figures.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "sim/run/drive_watch.hpp"
#include "sim/run/driver.hpp"
#include "sim/run/time_series.hpp"

namespace sim {

class ReadOnlyDriver : public Driver {
public:
    ~ReadOnlyDriver() override;

    [[nodiscard]] Progress progress() const final;

protected:
    // What exists only while the files are open; each job adds its own.
    struct OpenFiles {
        virtual ~OpenFiles() = default;

        std::vector<SimFile*> files;  // in the order of the configuration
        std::vector<DriveWatch> drives;
        std::unique_ptr<TimeSeries> time_series;
        ums::Event monitors_stop;
        ums::TaskGroup monitors;
    };

    using Driver::Driver;

    // `open` has its files and drives; from here on, until the end of work(), progress() looks at them.
    void show(std::unique_ptr<OpenFiles> open);
    // Performs the job itself, `job`, between show() and the closing of the files, which it does.
    ums::Task<void> work(ums::Task<void>& job);

    // How much of the job is done, from 0 to 1. Any thread, with parts_mutex_, while the files are open.
    [[nodiscard]] virtual double done_fraction() const = 0;
    // Adds to the results what the job has found out. The files are still open.
    virtual void describe() {}

    [[nodiscard]] Totals totals() const final;
    void after_phase(Phase phase) final;

    mutable std::mutex parts_mutex_;  // held by progress() while it looks at the parts, and while they are made and taken down
    Progress of_closed_files_;        // what the files had done when they were taken down; with parts_mutex_

private:
    ums::Task<void> record_time_series();
    void close_files();

    std::unique_ptr<OpenFiles> open_;
};

}  // namespace sim
