// Makes the npm packages of a release from what is built: `tessera`, `@tessera/native`, and one package per addon.
// Run by `npm run pack`; options: --addons FOLDER, --out FOLDER, --repository URL, --complete. Prints the tarballs.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { values } = parseArgs({
  options: {
    // Each addon is a file such as tessera.linux-x64-gnu.node.
    addons: { type: 'string', default: join(root, 'native/crates/node/dist') },
    out: { type: 'string', default: join(root, 'server/packaging/dist') },
    // npm compares it with the workflow that publishes.
    repository: { type: 'string' },
    // Fails if the addon of a platform is missing.
    complete: { type: 'boolean', default: false },
  },
})
const out = resolve(values.out)
const stage = join(out, 'stage')

/** @param {string} path @returns {Record<string, any>} */
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

const main = readJson('package.json')
const server = readJson('server/package.json')
const native = readJson('native/crates/node/package.json')

/** What all packages have alike. @param {Record<string, any>} own */
const described = ({ name, description, version, license, engines }) => ({
  name,
  version,
  description,
  license,
  type: 'module',
  engines,
  ...(values.repository !== undefined && { repository: { type: 'git', url: values.repository } }),
  publishConfig: { access: 'public' },
})

/** @param {string} folder @param {object} manifest */
function writeManifest(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Copies what runs: no maps, no marks of the build. @param {string} from @param {string} to */
function copyBuilt(from, to) {
  const path = join(root, from)
  if (!existsSync(path)) fail(`${from} is not built. Run: npm run build`)
  cpSync(path, to, {
    recursive: true,
    filter: (file) => !/\.map$|\.tessera-stamp$|\.node$|[/\\]generate\.js$/.test(file),
  })
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message)
  process.exit(1)
}

/** Runs a command of npm and gives what it prints. @param {string[]} args @param {string} cwd */
function npm(args, cwd) {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
  if (status !== 0) fail(`npm ${args.join(' ')} failed:\n${stderr}`)
  return stdout
}

/** The package with the addon of one platform each, as napi-rs names and describes them. @returns {string[]} their folders */
function stagePlatforms() {
  const folder = join(stage, 'native')
  mkdirSync(folder, { recursive: true })
  writeManifest(folder, { ...described(native), napi: native['napi'] })
  npm(['exec', '--', 'napi', 'create-npm-dirs', '--cwd', folder, '--npm-dir', 'platforms'], root)
  const made = readdirSync(join(folder, 'platforms'))
  const missing = made.filter((platform) => !existsSync(join(values.addons, `tessera.${platform}.node`)))
  if (values.complete && missing.length > 0) fail(`no addon of ${missing.join(', ')} in ${values.addons}`)
  const platforms = made.filter((platform) => !missing.includes(platform))
  if (platforms.length === 0) fail(`no addon in ${values.addons}. Run: npm run build`)
  return platforms.map((platform) => {
    const own = join(stage, `native-${platform}`)
    cpSync(join(folder, 'platforms', platform), own, { recursive: true })
    cpSync(join(values.addons, `tessera.${platform}.node`), join(own, `tessera.${platform}.node`))
    const { os, cpu, libc, main: addon, files, name } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'))
    const about = { name, description: `The addon of Tessera for ${platform}` }
    // It is no module: Node loads it by its name.
    const { type: _type, ...common } = described({ ...native, ...about })
    writeManifest(own, { ...common, os, cpu, ...(libc !== undefined && { libc }), main: addon, files })
    writeFileSync(join(own, 'README.md'), `# ${name}\n\n${about.description}. Install \`tessera\` instead.\n`)
    return own
  })
}

/** The binding of the engine, which finds the addon of its platform. @param {readonly string[]} platforms folders */
function stageNative(platforms) {
  const folder = join(stage, 'native')
  rmSync(folder, { recursive: true })
  copyBuilt('native/crates/node/dist', join(folder, 'dist'))
  const names = platforms.map((path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).name)
  writeManifest(folder, {
    ...described(native),
    exports: native['exports'],
    imports: native['imports'],
    files: ['dist'],
    optionalDependencies: Object.fromEntries(names.map((name) => [name, native['version']])),
  })
  writeFileSync(
    join(folder, 'README.md'),
    `# @tessera/native\n\n${native['description']}. Install \`tessera\` instead.\n`,
  )
  return folder
}

/** Gateway, console and command line, in the folders that they have in the repository. */
function stageTessera() {
  const folder = join(stage, 'tessera')
  mkdirSync(join(folder, 'server'), { recursive: true })
  copyBuilt('server/dist', join(folder, 'server/dist'))
  copyBuilt('web/dist', join(folder, 'web/dist'))
  cpSync(join(root, 'server/tessera.mjs'), join(folder, 'server/tessera.mjs'))
  cpSync(join(root, 'server/licences.json'), join(folder, 'server/licences.json'))
  // Command and gateway say their version from here.
  writeManifest(join(folder, 'server'), { private: true, version: server['version'], type: 'module' })
  for (const page of ['README.md', 'CHANGELOG.md']) cpSync(join(root, page), join(folder, page))
  writeManifest(folder, {
    ...described(main),
    bin: { tessera: 'server/tessera.mjs' },
    files: ['server', 'web', 'CHANGELOG.md'],
    // A package cannot override what its dependencies bring. What npm has placed at the top, it does not bring again.
    dependencies: { ...server['dependencies'], 'light-my-request': main['overrides']['light-my-request'] },
  })
  return folder
}

rmSync(stage, { recursive: true, force: true })
const platforms = stagePlatforms()
// Those that others need come first: they are published in this order.
for (const folder of [...platforms, stageNative(platforms), stageTessera()]) {
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const [packed] = JSON.parse(npm(['pack', '--json', '--pack-destination', out], folder))
  console.log(join(out, packed.filename))
}
