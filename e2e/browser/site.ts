import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { closePages, logIn, openBrowser, type Session, type Visitor } from './browser.ts'

/** A running gateway, and a browser whose session is logged in to it. */
export interface Site extends Visitor {
  readonly gateway: Gateway
  readonly session: Session
  /** Closes the pages, ends the gateway, and removes its files. */
  close(): Promise<void>
}

export async function openSite(home = newHome()): Promise<Site> {
  const gateway = await startGateway(home)
  const browser = await openBrowser()
  const session = await logIn(browser, gateway)
  const close = async (): Promise<void> => {
    await closePages(browser)
    await gateway.stop()
    removeHome(home)
  }
  return { gateway, browser, session, close }
}
