// A notice while the disk of the data directory is full.
import { expect, test } from 'vitest'
import { DiskFull } from '../../src/overload/disk-full.js'

const GIB = 2 ** 30
const disk = (diskFreeBytes: number, diskTotalBytes: number) => ({
  dataDirectory: '/data',
  diskFreeBytes,
  diskTotalBytes,
})

test('a full disk is told since it was first seen, until there is room', () => {
  const full = new DiskFull()
  expect(full.notices(disk(GIB, 100 * GIB), 1000)).toEqual([])
  const [notice] = full.notices(disk(5 * 2 ** 20, 100 * GIB), 2000)
  expect(notice).toMatchObject({
    code: 'disk_full',
    message: 'the disk of /data is full: 5 MiB are free; make room on it',
    since: new Date(2000).toISOString(),
  })
  expect(full.notices(disk(0, 100 * GIB), 3000)).toMatchObject([{ since: notice?.since }])
  expect(full.notices(disk(GIB, 100 * GIB), 4000)).toEqual([])
  expect(full.notices(disk(0, 100 * GIB), 5000)).toMatchObject([{ since: new Date(5000).toISOString() }])
})

test('a small disk is full with less, and one whose size is not known is never', () => {
  const full = new DiskFull()
  expect(full.notices(disk(2 ** 20, 64 * 2 ** 20))).toEqual([])
  expect(full.notices(disk(2 ** 19, 64 * 2 ** 20))).toHaveLength(1)
  expect(full.notices(disk(0, 0))).toEqual([])
})
