//! How much memory the process may use: the machine's, or what its control groups allow, of version 1 or 2.

use std::fs::read_to_string;
use std::path::Path;

/// Memory that the process may use: the machine's, or its control groups' limit if that is less.
pub fn memory_total_bytes() -> u64 {
    let meminfo = read_to_string("/proc/meminfo").unwrap_or_default();
    let kibibytes = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:")).and_then(|rest| rest.split_whitespace().next());
    let machine = kibibytes.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 1024;
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    group_limit(Path::new("/sys/fs/cgroup"), &groups).map_or(machine, |limit| limit.min(machine))
}

/// The least limit of the groups that `groups`, a file as `/proc/self/cgroup`, lists, and of those around them. In a container
/// the paths may be those of the machine: then what is mounted at `root` is the container's own group.
fn group_limit(root: &Path, groups: &str) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let (folder, name) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            named if named.split(',').any(|controller| controller == "memory") => (root.join("memory"), "memory.limit_in_bytes"),
            _ => return None,
        };
        let group = Path::new(path.trim_start_matches('/'));
        let read = |group: &Path| read_to_string(folder.join(group).join(name)).ok()?.trim().parse::<u64>().ok();
        group.ancestors().filter_map(read).min()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_least_limit_of_all_groups_around_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let limit = |groups: &str| group_limit(root.path(), groups);
        assert_eq!(limit("0::/a/b\n"), None);
        write("a/b/memory.max", "max\n");
        assert_eq!(limit("0::/a/b\n"), None);
        write("a/memory.max", "700000000\n");
        assert_eq!(limit("0::/a/b\n"), Some(700_000_000));
        write("a/b/memory.max", "600000000\n");
        assert_eq!(limit("0::/a/b\n"), Some(600_000_000));
        // A container's own group is at the root, whatever it is called outside.
        write("memory.max", "500000000\n");
        assert_eq!(limit("0::/docker/1\n"), Some(500_000_000));
        write("memory/c/memory.limit_in_bytes", "400000000\n");
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(limit("4:cpu,memory:/c\n3:pids:/c\n0::/a\n"), Some(400_000_000));
    }
}
