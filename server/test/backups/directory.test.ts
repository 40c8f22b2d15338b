// The directory of the backups is looked at when the server starts, not when the first backup fails.
import { mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeBackupDirectory } from '../../src/backups/directory.js'
import { ConfigError } from '../../src/config.js'

let home: string
let dataDirectory: string

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tessera-')))
  dataDirectory = join(home, 'data')
  await mkdir(dataDirectory)
})
afterEach(() => rm(home, { recursive: true }))

const make = (backupDirectory: string | undefined, readOnly = false): Promise<void> =>
  makeBackupDirectory({ dataDirectory, backupDirectory, readOnly })

describe('the directory of the backups', () => {
  test('is made with its parents, for its owner only, and may be there already', async () => {
    const path = join(home, 'far/backups')
    await make(path)
    await make(path)
    const { mode } = await stat(path)
    expect(mode & 0o777).toBe(0o700)
  })

  test('may be the one in the data directory, or below it', async () => {
    await make(undefined)
    await make(join(dataDirectory, 'backups'))
    await make(join(dataDirectory, 'backups/here'))
    expect((await stat(join(dataDirectory, 'backups/here'))).isDirectory()).toBe(true)
  })

  test('is no file, and not below one', async () => {
    const file = join(home, 'file')
    await writeFile(file, '')
    await expect(make(file)).rejects.toThrow(ConfigError)
    await expect(make(file)).rejects.toThrow(`TESSERA_BACKUP_DIR ${file} cannot be used: it is not a directory`)
    await expect(make(join(file, 'backups'))).rejects.toThrow('it is not a directory')
  })

  test('is not among files of the engine, and no link to them', async () => {
    const link = join(home, 'link')
    await symlink(dataDirectory, link)
    for (const path of [dataDirectory, join(dataDirectory, 'namespaces'), join(dataDirectory, 'backups-2'), link])
      await expect(make(path)).rejects.toThrow(`TESSERA_BACKUP_DIR must not be in the data directory ${dataDirectory}`)
    await expect(stat(join(dataDirectory, 'namespaces'))).rejects.toThrow('ENOENT')
  })

  test('is taken as it is by a read-only server, which writes no backup', async () => {
    await make(join(home, 'none'), true)
    await expect(stat(join(home, 'none'))).rejects.toThrow('ENOENT')
  })
})
