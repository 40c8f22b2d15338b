import { useRouterState } from '@tanstack/react-router'
import { Card } from '../ui/Card'
import { Skeleton } from '../ui/Skeleton'
import { ThemeSwitch } from './bar/ThemeSwitch'
import { PaletteButton } from './commands/PaletteButton'
import { useKiosk } from './kiosk'
import { navLabel } from './nav/nav-items'

/** Shown while the code of a page loads. */
export function Loading() {
  const title = navLabel(useRouterState({ select: ({ location }) => location.pathname }))
  const kiosk = useKiosk()
  return (
    <>
      <header className="pagebar">
        {title === undefined ? <div className="skeleton title" /> : <h1>{title}</h1>}
        {!kiosk && (
          <div className="global">
            <PaletteButton />
            <ThemeSwitch />
          </div>
        )}
      </header>
      <main className="content" id="content">
        <Card>
          <Skeleton lines={6} />
        </Card>
      </main>
    </>
  )
}
