import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { launch, logIn, type Session, type Visitor } from './browser.ts'

/** A running gateway, and a browser that is logged in to it. */
export interface Site extends Visitor {
  readonly gateway: Gateway
  readonly session: Session
  /** Ends both, and removes the gateway's files. */
  close(): Promise<void>
}

export async function openSite(home = newHome()): Promise<Site> {
  const gateway = await startGateway(home)
  const browser = await launch()
  const session = await logIn(browser, gateway)
  const close = async (): Promise<void> => {
    await browser.close()
    await gateway.stop()
    removeHome(home)
  }
  return { gateway, browser, session, close }
}
