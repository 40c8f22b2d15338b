import { type Answer, ApiProblem, Client, type Given, type Operation, type OperationId } from '@tessera/client'
import { basePath } from '../base-path'
import { recordedFetch } from './http'
import { signedOut } from './session-state'
import { signedInAgain } from './sign-in-again'

/** The REST API. What fails is shown with a button to try again, so nothing is sent again by itself. */
export const client = new Client({
  // That of the page.
  url: basePath,
  credentials: 'same-origin',
  fetch: recordedFetch,
  retries: 0,
  // Figures are drawn and added up, so they are numbers. Records stay text.
  parse: JSON.parse,
})

export const call = <Id extends OperationId>(operation: Operation<Id>, ...args: Given<Id>): Promise<Answer<Id>> =>
  fresh(() => client.call(operation, ...args))

/** As `call`, with the version that the answer names. */
export async function callVersioned<Id extends OperationId>(
  operation: Operation<Id>,
  ...args: Given<Id>
): Promise<Answer<Id> & { etag: string }> {
  const { value, etag = '*' } = await fresh(() => client.callVersioned(operation, ...args))
  return { ...(value as Answer<Id> & object), etag }
}

/** A request by its path, for bodies and answers that stay text. */
export const send: Client['request'] = (...request) => client.request(...request)

/**
 * If the server wants to know again who the person is, they sign in, and the call is repeated. If it demands a second
 * factor, the sign-in page sets it up.
 */
async function fresh<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'second_factor_required') signedOut()
    if (!(error instanceof ApiProblem) || error.code !== 'sign_in_again' || !(await signedInAgain())) throw error
    return send()
  }
}
