// Starts that cannot go on: one line says why, whatever else there is to be said.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError } from '../src/config.js'
import { makeDataDirectory } from '../src/files/data-directory.js'
import { checkOpenFiles, openFilesMax } from '../src/files/open-files.js'
import { workersAtOnce } from '../src/workers/crew.js'

const home = mkdtempSync(join(tmpdir(), 'tessera-start-'))
const isRoot = process.getuid?.() === 0

afterAll(() => {
  rmSync(home, { recursive: true, force: true })
})

const failure = async (work: () => unknown): Promise<string> => {
  try {
    await work()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message
  }
  throw new Error('it should have failed')
}

describe('a data directory that cannot be used', () => {
  test('is no directory', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    const why = 'cannot be used: it is not a directory'
    expect(await failure(() => makeDataDirectory(file))).toBe(`the data directory ${file} ${why}`)
    expect(await failure(() => makeDataDirectory(join(file, 'data')))).toContain(why)
  })

  test.skipIf(isRoot)('may not be written to', async () => {
    const closed = join(home, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o500)
    expect(await failure(() => makeDataDirectory(closed))).toContain('the server may not write to it')
    expect(await failure(() => makeDataDirectory(join(closed, 'a/b')))).toContain('the server may not write to it')
  })

  // A mount of one's own needs a kernel that lets one make it.
  const mount = (script: string) => spawnSync('unshare', ['-rm', 'sh', '-c', script], { encoding: 'utf8' })
  const mounts = mount(`mkdir -p ${home}/try && mount -t tmpfs none ${home}/try`).status === 0

  test.skipIf(!mounts)('is mounted read-only', () => {
    const script = `import('${new URL('../src/files/data-directory.ts', import.meta.url).href}')
      .then(({ makeDataDirectory }) => makeDataDirectory('${home}/ro/a/b'))
      .catch(({ message }) => console.error(message))`
    const dist = script.replace('/src/', '/dist/').replace('.ts', '.js')
    const { stderr } = mount(
      `mkdir ${home}/ro && mount -t tmpfs -o ro none ${home}/ro && ${process.execPath} -e "${dist}"`,
    )
    expect(stderr).toBe(`the data directory ${home}/ro/a/b cannot be used: its file system is mounted read-only\n`)
  })
})

test('the number of files that may be open is read', () => {
  const limits = (most: string) => `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${most}    files\n`
  expect(openFilesMax(limits('1024                 1048576'))).toBe(1024)
  expect(openFilesMax(limits('unlimited            unlimited'))).toBe(Infinity)
})

test('as many workers start at once as may read their modules with the files there are', () => {
  const files = [256, 511, 512, 1024, Infinity]
  expect(files.map((most) => workersAtOnce(most))).toEqual([1, 1, 1, 3, Infinity])
})

test('too few open files are told with both numbers', async () => {
  const limits = (most: string) => `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${most}    files\n`
  checkOpenFiles(limits('1024                 1048576'))
  checkOpenFiles(limits('unlimited            unlimited'))
  const message = await failure(() => checkOpenFiles(limits('100                  100')))
  expect(message).toBe('the process may open 100 files and needs at least 256; raise the limit with ulimit -n')
})
