// The configuration file is replaced in one step, and what a kill left beside it goes.
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isWritable, writeConfigFile } from '../../../src/config/running/write-file.js'

let home: string
let file: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tessera-'))
  file = join(home, 'tessera.json')
  await writeFile(file, '{}')
})
afterEach(() => rm(home, { recursive: true }))

describe('the configuration file', () => {
  test('is alone in its folder again after a change, whatever a kill has left', async () => {
    await writeFile(`${file}.0123456789ab.new`, '{"po')
    await writeFile(`${file}.old`, 'kept')
    await writeFile(join(home, 'other.json.0123456789ab.new'), 'of another file')
    await writeConfigFile(file, '{"port":1}')
    expect(await readFile(file, 'utf8')).toBe('{"port":1}')
    expect((await readdir(home)).sort()).toEqual(['other.json.0123456789ab.new', 'tessera.json', 'tessera.json.old'])
  })

  test('is writable if it is a file, also through a link', async () => {
    const link = join(home, 'link')
    await symlink(file, link)
    expect([await isWritable(file), await isWritable(link)]).toEqual([true, true])
  })

  test('is not writable if it is a folder, or not there', async () => {
    await mkdir(join(home, 'folder'))
    expect([await isWritable(join(home, 'folder')), await isWritable(join(home, 'none'))]).toEqual([false, false])
  })
})
