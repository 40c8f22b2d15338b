// Prints what users get as a bill of materials (CycloneDX 1.5, JSON): the packages of npm in gateway and console, and the
// crates in the addon. Run by `npm run sbom`.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checksums, shippedCrates } from './crates.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** @typedef {{ 'bom-ref': string, properties: { name: string }[] }} Component */

/** npm describes its own. With `--omit dev` it would leave out what tests need too, such as React. */
function ofNpm() {
  const args = ['sbom', '--sbom-format', 'cyclonedx']
  const of = ['server', 'web'].flatMap((name) => ['--workspace', `@tessera/${name}`])
  const { status, stdout, stderr } = spawnSync('npm', [...args, ...of], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  })
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`)
  const bom = JSON.parse(stdout)
  const ofTests = (/** @type {Component} */ { properties }) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development')
  bom.components = bom.components.filter((/** @type {Component} */ component) => !ofTests(component))
  const kept = new Set([bom.metadata.component, ...bom.components].map((component) => component['bom-ref']))
  bom.dependencies = bom.dependencies
    .filter((/** @type {{ ref: string }} */ { ref }) => kept.has(ref))
    .map((/** @type {{ ref: string, dependsOn: string[] }} */ { ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((other) => kept.has(other)),
    }))
  return bom
}

/** @param {{ name: string, version: string }} crate */
const purl = ({ name, version }) => `pkg:cargo/${name}@${version}`

const bom = ofNpm()
const crates = shippedCrates()
const sums = checksums()
const { name } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
// npm names the root after its folder.
bom.metadata.component = { ...bom.metadata.component, type: 'application', name }
// Some packages name their repository as git does, which is no URL.
for (const component of bom.components)
  component.externalReferences = component.externalReferences.filter((/** @type {{ url: string }} */ { url }) =>
    URL.canParse(url),
  )
bom.components.push(
  ...crates.map((crate) => {
    const sum = sums.get(`${crate.name}@${crate.version}`)
    return {
      'bom-ref': purl(crate),
      type: 'library',
      name: crate.name,
      version: crate.version,
      scope: 'required',
      purl: purl(crate),
      ...(sum !== undefined && { hashes: [{ alg: 'SHA-256', content: sum }] }),
      ...(crate.license !== null && { licenses: [{ expression: crate.license.replaceAll(/\s*\/\s*/g, ' OR ') }] }),
      ...(crate.repository !== null && { externalReferences: [{ type: 'vcs', url: crate.repository }] }),
    }
  }),
)
const refs = new Map(crates.map((crate) => [crate.id, purl(crate)]))
bom.dependencies.push(
  ...crates.map((crate) => ({ ref: purl(crate), dependsOn: crate.uses.flatMap((id) => refs.get(id) ?? []) })),
)
// The addon is what the package of npm loads.
const binding = bom.dependencies.find((/** @type {{ ref: string }} */ { ref }) => ref.startsWith('@tessera/native@'))
binding?.dependsOn.push(...crates.filter((crate) => crate.name === 'tessera-node').map(purl))
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`)
