// Answers of a running gateway, shortened: disks and pages.

export const deviceReport = {
  namespace: 'orders',
  blockBytes: 131_072,
  disks: [
    {
      path: 'data.tsr',
      kind: 'file',
      access: 'direct',
      capacityBytes: 1_073_741_824,
      usedBytes: 4_587_520,
      reads: { count: 0, bytes: 0, totalMs: 0 },
      writes: { count: 23, bytes: 4_460_032, totalMs: 9.361, medianMs: 0.3277, p99Ms: 1.835 },
      syncs: { count: 15, bytes: 0, totalMs: 17.23, medianMs: 0.9175, p99Ms: 3.67 },
      inFlight: 0,
      busyMs: 24.68,
      queueMs: 26.6,
      countedMs: 513.1,
      map: {
        blocks: 8192,
        blocksPerCell: 2048,
        free: [2013, 2048, 2048, 2048],
        writing: [1, 0, 0, 0],
        stored: [34, 0, 0, 0],
        freeing: [0, 0, 0, 0],
        unreadable: [0, 0, 0, 0],
        liveBytes: [4_338_240, 0, 0, 0],
        tombstoneBytes: [0, 0, 0, 0],
        deadBytes: [82_704, 0, 0, 0],
      },
    },
  ],
  flush: { queueBytes: 0, limitBytes: 33_554_432, failures: 0 },
  defrag: { queueBlocks: 0, reservedBlocks: 32, freeingBlocks: 0 },
  cache: { blocks: 33, mostBlocks: 64, memoryReads: 1, diskReads: 0 },
  amplification: { appendedBytes: 4_338_240, movedBytes: 0, writtenBytes: 4_460_032, total: 1.028 },
  lastSecond: {
    namespace: 'orders',
    flushQueueBytes: 0,
    defragQueueBlocks: 0,
    appendedBytesPerSecond: 0,
    movedBytesPerSecond: 0,
    disks: [
      {
        path: 'data.tsr',
        readBytesPerSecond: 0,
        writeBytesPerSecond: 88_888,
        readsPerSecond: 0,
        writesPerSecond: 13.89,
        syncsPerSecond: 17.36,
        queueDepth: 0.01912,
        inFlight: 0,
        busyPercent: 1.912,
        writeLatencyMs: 0.09676,
        syncLatencyMs: 1.024,
      },
    ],
  },
}

export const pagesReport = {
  namespace: 'ledger',
  at: '2026-11-24T15:35:29.228Z',
  pageBytes: 16_384,
  pages: 4352,
  freePages: 0,
  cache: {
    bytes: 260_292_608,
    frames: 15_887,
    used: 1741,
    dirty: 1741,
    kinds: [
      { kind: 'segment', cached: 253, hits: 506, misses: 0 },
      { kind: 'leaf', cached: 253, hits: 4003, misses: 0 },
      { kind: 'slot_map', cached: 253, hits: 1750, misses: 0 },
    ],
  },
  log: {
    ringBytes: 536_870_912,
    neededBytes: 4_628_695,
    end: 4_628_695,
    durable: 4_628_695,
    records: 3146,
    imageBytes: 0,
    syncs: 11,
  },
  checkpoints: [
    { begunAt: '2026-11-24T15:36:30.000Z', tookMs: 41.2, pages: 1743, logBytes: 4_628_698, cause: 'time', whole: true },
  ],
  traffic: {
    recordsReadBytes: 152,
    recordsWrittenBytes: 4_190_864,
    pagesReadBytes: 0,
    pagesWrittenBytes: 16_384,
    logWrittenBytes: 4_689_920,
    readAmplification: 0,
    writeAmplification: 1.123,
  },
}

export const pageMap = {
  pages: 4352,
  pagesPerCell: 1088,
  kinds: ['segment', 'inner', 'leaf', 'slot_map', 'directory', 'extents', 'data', 'overflow', 'namespace'],
  used: [344, 393, 375, 373],
  kind: [6, 6, 6, 6],
  fillPercent: [92, 90, 90, 88],
  heat: [114, 66, 63, 62],
  age: [0, 0, 0, 0],
}

export const pageSizes = {
  samples: 20_480,
  samplesNeeded: 16_384,
  since: '2026-11-24T15:35:28.763Z',
  sizes: [
    { pageBytes: 8192, missesPerRead: 0.41, readBytesPerRead: 3359 },
    { pageBytes: 16_384, missesPerRead: 0.36, readBytesPerRead: 5898 },
  ],
}
