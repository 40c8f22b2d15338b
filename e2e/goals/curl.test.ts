import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { tasks } from '../gateway/page.ts'
import { bash } from '../gateway/shell.ts'
import { verb } from '../gateway/verb.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const doc = readFileSync(join(root, 'docs/curl.md'), 'utf8')

const [variables, ...commands] = tasks(doc)
const home = newHome()
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway(home)
  // curl fails on an error answer, and the verbs of the clone are at hand, as they are for a reader of the page.
  writeFileSync(join(home, '.curlrc'), 'silent\nshow-error\nfail-with-body\n')
  const scripts = {
    events: verb('events', 'tessera-events'),
    tessera: verb('tessera', 'tessera'),
    'audit:verify': `node ${join(root, 'server/audit-verify.mjs')}`,
  }
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, scripts }))
})

afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

/** Runs commands as a reader would type them, with the address that this gateway has. */
function typed(script: string): ReturnType<typeof bash> {
  return bash(script.replace('http://127.0.0.1:7373', gateway.url), { cwd: home, env: { CURL_HOME: home } })
}

/** What commands must print: every rule whose first pattern is in the command holds for its output. */
const rules: [command: RegExp, output: RegExp][] = [
  [/--json '{"name":"demo"/, /"name":"demo"/],
  [/^curl -H "\$AUTH" \S+\/namespaces\/demo$/, /"engine":"memory"/],
  [/-X DELETE .*\/namespaces\/mistake$/, /"restorable":{"id":"\d+","until":/],
  [/^curl -H "\$AUTH" \S+\/dropped$/, /"name":"mistake"/],
  [/\/dropped\/\$ID\/restore/, /"name":"mistake"/],
  [/mistake\?forGood=true/, /"indexes":0}/],
  [/-X PATCH .*demo\?dryRun=true/, /"field":"maxRecordBytes","applies":"at_once",.*"from":1048576,"to":2097152/],
  [/"reason":"Larger pictures\."/, /"maxRecordBytes":2097152/],
  [/v1\/config$/, /"key":"streams","group":"limits"/],
  [/config\?dryRun=true/, /"field":"streams","applies":"at_once",.*"from":"128","to":"64"/],
  [/v1\/config\/revisions$/, /"number":1,.*"who":"start","cause":"created"/],
  [/demo\/config\/revisions$/, /"number":2,.*"reason":"Larger pictures\.".*"number":1,/],
  [/revisions\/1\/restore/, /"maxRecordBytes":1048576/],
  [/"name":"disk"/, /"devices":\[{"path":"data\.tsr","kind":"file"/],
  [/-X PUT .*\/records\//, /"generation":1/],
  [/^curl -H "\$AUTH" \S+\/records\/ada$/, /9007199254740993/],
  [/--data-binary @- \S+\/records$/, /"written":2/],
  [/--data-binary @- \S+\/read\?bins=name/, /"Bob"[^\n]*\n{"key":"nobody","missing":true}\n[^\n]*"Ada"/],
  [/\| gzip \|/, /"Bob"[^\n]*\n[^\n]*"Ada"/],
  [/\/size\?set=users/, /"records":2\b/],
  [/"ownership":{/, /"ownership":{"nodes":4,"owners":2,"self":0}/],
  [/\/segments\?limit=3/, /"owners":\[\d,\d\]/],
  [/"segments":\[0,1,2,3\]/, /"records":\[/],
  [/sample-events/, /^(\{"id":[^\n]+\n){5}$/],
  [/"name":"pushes"/, /"id":"\w+","name":"pushes"/],
  [/-T events.csv/, /"inserted":20000\b/],
  [/-T events.msgpack/, /"updated":100\b/],
  [/"index":true/, /"state":"done"/],
  [/"value":"WatchEvent".*\/scan$/, /"repo_id":\d+/],
  [/"explain":true}/, /"method":"set-index".*"estimatedMs"/],
  [/"sample":{"share"/, /"key":"?\w+/],
  [/summary\.cursor/, /^20000\n$/],
  [/"segmentMarks":true/, /{"segmentDone":[789]}/],
  [/"meta":"updatedAt"/, /^(\{[^\n]+\n){10}$/],
  [/"aggregate"/, /"events":{"value":20000}.*"repos":{"value":\d+.*"buckets":\[{"from":\d+/],
  [/\/vault\/pages$/, /"pageBytes":16384,.*"traffic":{"recordsReadBytes":\d+/],
  [/\/api\/v1\/clusters$/, /"configured":false,"items":\[\]/],
  [/\/api\/v1\/alerts$/, /"health":{"tone":/],
  [/"name":"Slow writes","severity"/, /"id":"\w+","name":"Slow writes"/],
  [/"name":"Reads within 2 ms"/, /"who":"token".*"withinUs":2000\b/],
  [/"name":"Reads within 1 ms"/, /"url":.*"who":"token".*"withinUs":1000\b/s],
  [/writes-stopped\/mute$/, /"mutedUntil":"20/],
  [/writes-stopped\/test$/, /"kind":"test"/],
  [/alerts\/webhook$/, /"secret":"[\w-]{32}"/],
  [/alerts\/events/, /"kind":"test"/],
  [/\/metrics\/history\?/, /"stepSeconds":60\b/],
  [/"thresholdMs":50/, /"thresholdMs":50,.*"namespaces":{"demo":20}/],
  [/"limits":\{"requestsPerSecond":100/, /"limits":\{"requestsPerSecond":100,"burst":200,"requestsAtOnce":16\}/],
  [/\/audit\?limit=10/, /"items":\[\{"seq":\d+.*"head":\{"seq":\d+,"hash":"[0-9a-f]{64}"/],
  [/outcome=refused/, /"items":\[.*"limit":100/],
  [/\/audit\/export/, /^\{"seq":1,"at":"20[^\n]+"kind":"segment"/],
  [/\/audit\/verify$/, /"ok":true/],
  [/audit:verify/, /^ok: \d+ entries in 1 files/],
  [/\/profile\?sample=500/, /"method":"share".*"name":"payload"/],
  [/\/index-advice$/, /"indexes":\[.*"unused":\[\]/],
  [/\/slow\?namespace/, /"items":\[.*"limit":10/],
  [/group=shape/, /"groups":\[/],
  [/"keepKeys":false/, /"keepKeys":false/],
  [/"keepKeys":true/, /"keepKeys":true,"namespaces":{}/],
  [/-X DELETE .*\/slow$/, /"removed":\d/],
  [/"kind":"compaction"/, /"state":"done"/],
  [/"kind":"truncate".*"users"/, /"undoUntil":"20.*"state":"done"/],
  [/demo\/truncations$/, /"records":[1-9].*"set":"users"/],
  [/\/truncations\/\$ID\/undo/, /"state":"done".*"records":[1-9]/],
  [/"kind":"truncate".*"forGood"/, /"state":"done".*"records":0\b/],
  [/\/demo\/migrate\?wait/, /"kind":"migrate".*"state":"done".*"repaired":0\b/],
  [/\/demo\/migration$/, /"phase":"doubled","cutOver":false/],
  [/migration\/cut-over$/, /"cutOver":true/],
  [/migration\/roll-back$/, /"cutOver":false/],
  [/migration\/abandon$/, /"name":"demo".*"state":"ready"/],
  [/demo\/backups\?wait/, /"kind":"backup".*"state":"done"/],
  [/api\/v1\/backups$/, /"state":"complete".*"pointTo":"20/],
  [/backup-schedule$/, /"nextAt":"20\d\d-\d\d-\d\dT02:00:00.000Z"/],
  [/backup-schedules$/, /"items":\[\{.*"namespace":"demo"/],
  [/\/verify\?wait/, /"kind":"verify".*"state":"done".*"backups":2\b/],
  [/\/restore\?wait/, /"kind":"restore".*"state":"done".*"restored":\d+/],
  [/-X DELETE .*\/backups\//, /"state":"complete"/],
  [/"kind":"document"/, /"state":"done"/],
  [/"select":\["repo_id","payload"\]/, /test@gmail\.com/],
  [/"explain":true,"where"/, /document-index/],
  [/"distinct":true},{"count":true}/, /^{"count":[1-9]\d*,"jobId"/],
  [/"repo_id","desc":true,"limit":3/, /^({"repo_id":\d+}\n){3}$/],
  [/"groupBy"/, /^{"groups":\[{"by":{"event_type":"\w+"},"aggregate":{"elements":{"value":\d+}}},/],
  [/"explain":true,"set"/, /"method":"document-index"/],
  [/"kind":"count"/, /"result":{"records":\d+/],
  [/"kind":"scrub"/, /"state":"done".*"damagedRecords":0\b/],
  [/-T events.csv.*ledger/, /"inserted":20000\b/],
  [/"kind":"calibrate"/, /"state":"done".*"sequentialBytesPerSecond":\d+/],
  [/"targetTps":1000/, /"state":"done".*"operations":[1-9]\d*/],
  [/\/workloads\?limit=10/, /"workload":"RU,95"/],
  [/\/latency"$/, /"buckets":\[\d+/],
  [/tessera -- bench/, /500 operations[^]*<1ms %/],
  [/\/lab$/, /"tps":1124875/],
  [/\/lab\/runs$/, /"items":\[\]/],
  [/\/device\?cells=16/, /"map":{"blocks":\d+,"blocksPerCell":\d+,"free":\[[^\]]+\]/],
  [/\/live/, /^(event|id|data|retry|:)/m],
  [/\/api\/v1\/jobs\?kind=import/, /"kind":"import"/],
  [/\/status$/, /"healthy":true/],
  [/\/about$/, /"added":\{"seconds":.*"start":\{"totalMs":/],
  [/\/licences$/, /"name":"fastify","version":"[\d.]+","licence":"MIT"/],
  [/\/diagnostics$/, /^\{"part":"about"[^]*\n\{"part":"metrics"/],
  [/\/metrics$/, /^tessera_\w+/m],
  [/\/export\?set=users/, /"key":"ada"/],
  [/demo\.csv.*\/copy\/import/s, /"inserted":21003\b/],
  [/\/copy\/import\?keepGenerations/, /"inserted":0,"updated":21003\b/],
  [/\/sets\?q=event/, /"items":\[{"name":"events",.*"total":{"sets":1,/],
  [/indexes\/payload\?dryRun=true/, /"indexes":1,"entries":[1-9]\d+/],
  [/-X DELETE .*demo\?dryRun=true/, /"records":21003\b/],
  [/\/absent/, /"code":"namespace_not_found"/],
]

describe('docs/curl.md', () => {
  test('begins with the address and the token', () => {
    expect(variables?.command).toContain('http://127.0.0.1:7373')
    expect(commands.length).toBeGreaterThan(20)
    expect(rules.filter(([about]) => !commands.some(({ command }) => about.test(command)))).toEqual([])
  })

  test.each(commands)('$heading: $command', async ({ command }) => {
    const result = await typed(`${variables?.command}\n${command}`)
    expect(result.code, `${result.stdout}\n${result.stderr}\n${gateway.output()}`).toBe(0)
    for (const [, output] of rules.filter(([about]) => about.test(command))) {
      expect(result.stdout).toMatch(output)
    }
  })
})

describe('README.md', () => {
  test('its curl lines work as written', async () => {
    const lines = tasks(readFileSync(join(root, 'README.md'), 'utf8')).map(({ command }) => command)
    expect(lines.length).toBeGreaterThan(0)
    const result = await typed(lines.join('\n'))
    expect(result.code, `${result.stdout}\n${result.stderr}`).toBe(0)
    expect(result.stdout).toMatch(/"inserted":219000\b/)
    expect(result.stdout).toMatch(/"state":"done"/)
    expect(result.stdout).toMatch(/"records":\[\{.*"repo_id":\d+/)
  })
})
