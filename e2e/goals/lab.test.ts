import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { newHome, removeHome } from '../gateway/gateway.ts'
import { expectParallelIndex, expectSegments, expectSetIndex, expectTps, type Report } from '../gateway/lab-reports.ts'
import { byScale, scale } from '../gateway/lab-scale.ts'
import { bash } from '../gateway/shell.ts'

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const lab = (words: string): ReturnType<typeof bash> => bash(`npm run --silent lab -- ${words}`, { cwd })

/** A run to its end, and what it said while it ran. */
async function reported(experiment: string): Promise<{ report: Report; said: string }> {
  const { code, stdout, stderr } = await lab(`${experiment} --scale ${scale} --json`)
  expect(code, stderr).toBe(0)
  return { report: JSON.parse(stdout) as Report, said: stderr }
}

test('parallel-index is repeated, and finds the rows that were generated', async () => {
  const { report, said } = await reported('parallel-index')
  expectParallelIndex(report)
  expect(said).toContain(`loading up to ${byScale(24_800, 216_000)} events`)
})

// At smoke they are run once, by `lab-page.test.ts`.
describe.skipIf(scale === 'smoke')('as large as users run them', () => {
  test('tps is repeated on a gateway of its own, and its claims follow from its rows', async () => {
    const { report, said } = await reported('tps')
    expectTps(report)
    expect(said).toContain('1k, relaxed: writing 64000 records')
  })

  test('set-index is repeated, and its claims follow from its rows', async () => {
    const { report, said } = await reported('set-index')
    expectSetIndex(report)
    expect(said).toContain('memory, A: writing 2000000 records')
  })

  test('segments is repeated, and its claims follow from its rows', async () => {
    const { report, said } = await reported('segments')
    expectSegments(report)
    expect(said).toContain('node 3 of 4: loading its entries, segmented')
  })
})

test('page-size begins, and leaves nothing where it is interrupted', async () => {
  const data = newHome()
  const run = spawn('node', ['server/lab.mjs', 'page-size', '--data', data], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(run, 'close')
  let [said, printed] = ['', '']
  run.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  run.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (!run.killed && said.includes('16 KiB: loading 1000000 records')) run.kill('SIGINT')
  })
  try {
    expect(await ended, said).toEqual([1, null])
    expect([said.includes('lab: '), printed, readdirSync(data)]).toEqual([true, '', []])
  } finally {
    run.kill('SIGKILL')
    removeHome(data)
  }
})

test('experiments are listed, and bad arguments refused', async () => {
  expect((await lab('list')).stdout).toMatch(/^page-size\t.+\nparallel-index\t.+\nsegments\t.+\nset-index\t.+\ntps\t/)
  for (const words of ['', 'none', 'tps --scale huge', 'tps --colour', 'tps list']) {
    const refused = await bash(`node server/lab.mjs ${words}`, { cwd })
    expect([refused.code, refused.stdout], words).toEqual([2, ''])
    expect(refused.stderr).toContain('usage: ')
  }
})
