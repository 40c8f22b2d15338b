// Answers of the lab, shortened.

export const labExperiment = {
  id: 'page-size',
  title: 'Page size under YCSB',
  repeats: 'OrientDB OEP 9: pages of 16 KB instead of 64 KB, data larger than the cache',
  published: {
    columns: [
      { key: 'phase', label: 'phase' },
      { key: 'operation', label: 'operation' },
    ],
    rows: [
      {
        phase: 'load',
        operation: 'insert',
        totalSeconds64: 66_721,
        avgUs64: 2659,
        p95Us64: 1935,
        p99Us64: 3647,
        totalSeconds16: 41_461,
        avgUs16: 1650,
        p95Us16: 1770,
        p99Us16: 2481,
        gain: 1.61,
      },
    ],
    note: 'OrientDB, YCSB with zipfian requests: operations per second, latencies in microseconds, the load in seconds. The claims compare with OrientDB 2.2.37, measured on two cores and a virtual disk. It had pages of 16 KB, a million records and a cache of 256 MB. Here reads bypass the page cache of the operating system, and our cache holds a quarter of the data.',
    statements: [{ says: 'A load takes 1.61 times as long with pages of 64 KB.', claims: ['gain-load', 'peer-load'] }],
  },
}
