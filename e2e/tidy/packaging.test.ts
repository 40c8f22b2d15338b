import { expect, test } from 'vitest'
import { files, read } from './tree.ts'

const workflows = files.filter((path) => path.startsWith('.github/workflows/'))

test('an action of a workflow is pinned by its commit, with its version beside it', () => {
  const uses = workflows.flatMap((path) => [...read(path).matchAll(/uses: (.+)$/gm)].map(([, text = '']) => text))
  expect(uses.length).toBeGreaterThan(0)
  expect(uses.filter((text) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(text))).toEqual([])
})

test('a workflow may do nothing that a job does not ask for, and keeps no credentials in the clone', () => {
  expect(workflows.filter((path) => !/^permissions:\n  contents: read$/m.test(read(path)))).toEqual([])
  const clones = workflows.flatMap((path) => read(path).match(/actions\/checkout@.+\n(.+\n){2}/g) ?? [])
  expect(clones.length).toBeGreaterThan(0)
  expect(clones.filter((text) => !text.includes('persist-credentials: false'))).toEqual([])
})

test('the workflow builds the addons that the package names', () => {
  const { napi } = JSON.parse(read('native/crates/node/package.json')) as { napi: { targets: string[] } }
  const platforms = { x86_64: 'x64', aarch64: 'arm64' } as Record<string, string>
  const named = napi.targets.map((target) => {
    const [arch = '', , system = '', libc] = target.split('-')
    return [system, platforms[arch], libc].filter((part) => part !== undefined).join('-')
  })
  const built = Array.from(read('.github/workflows/release.yml').matchAll(/platform: ([\w-]+)/g), ([, name]) => name)
  expect(built.sort()).toEqual(named.sort())
})

test('the image runs as a user that is not root, without a shell, and has a health check', () => {
  const text = read('server/packaging/Dockerfile')
  const last = text.slice(text.lastIndexOf('\nFROM '))
  expect(last).toMatch(/^FROM gcr\.io\/distroless\/.+:nonroot$/m)
  expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
  expect(last).toMatch(/^HEALTHCHECK /m)
  expect(last).toMatch(/^ENTRYPOINT \["/m)
  expect(text).not.toMatch(/\b(ARG|ENV)\b.*(TOKEN|SECRET|PASSWORD|KEY)/)
})

test('the container and the service have their rights taken away', () => {
  const compose = read('server/packaging/compose.yaml')
  for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true', 'mem_limit:', 'pids_limit:'])
    expect(compose).toContain(line)
  const unit = read('server/packaging/systemd/tessera.service')
  for (const line of ['CapabilityBoundingSet=\n', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'User=tessera'])
    expect(unit).toContain(line)
})
