// Runs an experiment and makes its report.
import { english } from '../sentences/sentence.js'
import type { LabReport } from '../schemas/jobs/lab.js'
import type { Status } from '../schemas/server/status.js'
import type { Bench, Experiment } from './experiment.js'

/** @throws CallError, the reason of the signal, or what the experiment throws */
export async function reportOf(experiment: Experiment, bench: Bench): Promise<LabReport> {
  const startedAt = new Date().toISOString()
  const { cpus, memoryTotalBytes, diskTotalBytes } = await bench.api.call<Status>('GET', '/status')
  const { parameters, rows, claims, notes = [] } = await experiment.run(bench)
  const device = `a file system of ${Math.round(diskTotalBytes / 1e9)} GB`
  return {
    experiment: experiment.id,
    scale: bench.scale,
    startedAt,
    machine: { cpus, memoryBytes: memoryTotalBytes, device },
    parameters,
    rows,
    claims,
    ...(notes.length > 0 && { notes: notes.map(english) }),
  }
}
