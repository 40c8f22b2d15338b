// Every page of the console, and what is worth a picture of its own on it.
import { LONG } from './site.mjs'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {readonly [name: string, path: string, act?: (page: Page) => Promise<unknown>]} Shown */

/** @param {string} name */
const press = (name) => (/** @type {Page} */ page) => page.getByRole('button', { name, exact: true }).first().click()

/** @param {import('./site.mjs').Places} places @returns {readonly Shown[]} */
export const routes = ({ run, second, job }) => [
  ['overview', '/'],
  ['live', '/live'],
  ['alerts', '/alerts'],
  ['namespaces', '/namespaces'],
  ['namespace-new', '/namespaces/new'],
  ['namespace-new-paged', '/namespaces/new', (page) => page.getByText('paged', { exact: true }).first().click()],
  ...['', '/sets', '/schema', '/indexes', '/segments', '/config', '/migrate', '/danger'].map(
    (tab) => /** @type {Shown} */ ([`namespace${tab.replace('/', '-')}`, `/namespaces/shop${tab}`]),
  ),
  ['set-profile', '/namespaces/shop/schema?set=orders', press('Sample')],
  ['namespace-sets-counted', '/namespaces/shop/sets', press('Count')],
  ['namespace-long', `/namespaces/${LONG}`],
  ['namespace-device', '/namespaces/archive/device'],
  ['namespace-storage', '/namespaces/vault/storage'],
  ['records', '/records?ns=shop&set=orders'],
  ['records-long', `/records?ns=${LONG}&set=orders`],
  ['record', '/records?ns=shop&set=orders&key=order-000003'],
  ['query', '/query?ns=shop&set=orders'],
  ['query-run', '/query?ns=shop&set=orders', press('Run query')],
  ['import', '/import?ns=shop'],
  ['scans', '/scans?ns=shop&set=orders'],
  ['scans-run', '/scans?ns=shop&set=orders', press('Run scan')],
  ['streams', '/streams?ns=shop&set=orders'],
  ['streams-run', '/streams?ns=shop&set=orders', press('Run stream')],
  ['indexes', '/indexes'],
  ['index-new', '/indexes?ns=shop', press('Create an index')],
  ['index', '/indexes/shop/by-total'],
  ['jobs', '/jobs'],
  ['job', `/jobs?id=${job}`],
  ['backups', '/backups'],
  ['slow', '/slow'],
  ['capacity', '/capacity'],
  ['access', '/access'],
  ['config', '/config'],
  ['audit', '/audit'],
  ['benchmarks', '/benchmarks'],
  ['benchmark-new', '/benchmarks?create=true'],
  ['benchmark', `/benchmarks/${run}`],
  ['benchmarks-compared', `/benchmarks/compare?ids=${run},${second}`],
  ['lab', '/lab?experiment=tps'],
  ['api', '/api'],
  ['api-operation', '/api?op=putRecord'],
  ['about', '/about'],
  ['not-found', '/no-such-page'],
]

/** Pages of a server that has nothing yet. @type {readonly Shown[]} */
export const emptyRoutes =
  'overview live alerts namespaces records query import scans streams indexes jobs backups slow audit benchmarks lab'
    .split(' ')
    .map((name) => [`empty-${name}`, name === 'overview' ? '/' : `/${name}`])
