// Every page of the console, and what is worth a picture of its own on it.
import { pages } from '../browser/pages.mjs'
import { LONG } from './site.mjs'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {readonly [name: string, path: string, act?: (page: Page) => Promise<unknown>]} Shown */

/** @param {string} name */
const press = (name) => (/** @type {Page} */ page) => page.getByRole('button', { name, exact: true }).first().click()

/** @param {import('./site.mjs').Places} places @returns {readonly Shown[]} */
export const routes = ({ run, second, job }) => [
  ...pages,
  ['namespace-new-paged', '/namespaces/new', (page) => page.getByText('paged', { exact: true }).first().click()],
  ['set-profile', '/namespaces/shop/schema?set=orders', press('Sample')],
  ['namespace-sets-counted', '/namespaces/shop/sets', press('Count')],
  ['namespace-long', `/namespaces/${LONG}`],
  ['records-long', `/records?ns=${LONG}&set=orders`],
  ['record', '/records?ns=shop&set=orders&key=order-000003'],
  ['query-run', '/query?ns=shop&set=orders', press('Run query')],
  ['scans-run', '/scans?ns=shop&set=orders', press('Run scan')],
  ['streams-run', '/streams?ns=shop&set=orders', press('Run stream')],
  ['index-new', '/indexes?ns=shop', press('Create an index')],
  ['index-range', '/indexes/shop/by-total'],
  ['job', `/jobs?id=${job}`],
  ['benchmark-new', '/benchmarks?create=true'],
  ['benchmark', `/benchmarks/${run}`],
  ['benchmarks-compared', `/benchmarks/compare?ids=${run},${second}`],
  ['lab-tps', '/lab?experiment=tps'],
  ['api-operation', '/api?op=putRecord'],
]

/** Pages of a server that has nothing yet. @type {readonly Shown[]} */
export const emptyRoutes =
  'overview live alerts namespaces records query import scans streams indexes jobs backups slow audit benchmarks lab'
    .split(' ')
    .map((name) => [`empty-${name}`, name === 'overview' ? '/' : `/${name}`])
