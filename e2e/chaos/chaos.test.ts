// Load for an hour, and faults at moments that follow from the seed. What is acknowledged stays, and what is at work does not grow.
import { expect, test } from 'vitest'
import { chaos } from './chaos.ts'
import { grows, tellTrend } from './measures.ts'
import { folder, minutes, seed } from './settings.ts'

test(`${minutes} minutes of load and faults lose nothing and leave nothing behind (TESSERA_CHAOS_SEED=${seed})`, async () => {
  const { report, memory, files } = await chaos(minutes * 60, seed, folder)
  report.tell(tellTrend('memory', 'MiB', memory))
  report.tell(tellTrend('open files', 'files', files))
  report.tell(report.telling())
  expect(report.faults).toEqual([])
  expect(report.of('writes acknowledged, kept')).toBeGreaterThan(0)
  expect(grows(memory), tellTrend('memory', 'MiB', memory)).toBe(false)
  expect(grows(files), tellTrend('open files', 'files', files)).toBe(false)
})
