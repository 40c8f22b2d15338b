import { expect, test } from 'vitest'
import { newBackupId } from '../../src/engines/native-backups.js'

test('ids of backups are in the order of their times, within a second too', () => {
  const start = Date.UTC(2026, 10, 29, 9, 25, 18)
  const ids = Array.from({ length: 3000 }, (_, ms) => newBackupId(start + ms))
  expect(ids.toSorted()).toEqual(ids)
  expect(ids.filter((id) => !/^20261129T0925\d\dZ-[0-9a-f]{8}$/.test(id))).toEqual([])
})
