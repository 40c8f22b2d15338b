// The tutorial does what it says: every command is typed, and every answer is the one that the page shows.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { tasks } from '../gateway/page.ts'
import { bash } from '../gateway/shell.ts'

// The workload of the page lasts two minutes; here it lasts a second.
const page = readFileSync(new URL('../../docs/tutorial.md', import.meta.url), 'utf8')
  .replace('"durationSeconds":120', '"durationSeconds":1')
  .replace('"elapsedSeconds":120,"operations":240000', '"elapsedSeconds":1,"operations":2000')
const [variables, ...commands] = tasks(page)
const home = newHome()
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway(home)
  writeFileSync(join(home, '.curlrc'), 'silent\nshow-error\nfail-with-body\n')
})

afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

/** An answer of the page as a pattern: `…` is what it leaves out, times and rates differ, and work that is
 * shown as running may still wait for its turn. */
function patternOf(answer: string): RegExp {
  const literal = answer.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const open = literal
    .replace(/("(?:elapsedMs|elapsedSeconds|operations|tps)":)[\d\\.]+/g, '$1[\\d.]+')
    .replace('"state":"running"', '"state":"(?:queued|running)"')
    .replaceAll('…', '[^]*?')
  return new RegExp(`^${open}$`)
}

describe('docs/tutorial.md', () => {
  test('has commands with answers', () => {
    expect(variables?.command).toContain('http://127.0.0.1:7373')
    expect(commands.filter(({ answer }) => answer !== undefined).length).toBeGreaterThan(10)
  })

  test.each(commands)('$heading: $command', async ({ command, answer }) => {
    const script = `${variables?.command}\n${command}`.replace('http://127.0.0.1:7373', gateway.url)
    const type = () => bash(script, { cwd: home, env: { CURL_HOME: home } })
    const told = async () => {
      const { code, stdout, stderr } = await type()
      return code === 0 ? stdout.trim() : `${code}: ${stdout}${stderr}`
    }
    // A workload ends when it ends; everything else is there at once.
    const last = command.includes('workloads?limit') ? '"done"' : ''
    const ended = async () => {
      const text = await told()
      if (!text.includes(last)) throw new Error(text)
      return text
    }
    const text = await vi.waitFor(ended, { timeout: 300_000, interval: 100 })
    expect(text).toMatch(answer === undefined ? /^(?!\d+: )/ : patternOf(answer))
  })
})
