import { memo, useEffect, type ReactNode } from 'react'
import { AlertsBell } from './bar/AlertsBell'
import { ConnectionChip } from './bar/ConnectionChip'
import { InstanceChip } from './bar/InstanceChip'
import { JobsChip } from './bar/JobsChip'
import { KioskBar } from './bar/KioskBar'
import { useKiosk } from './kiosk'
import { MenuButton } from './nav/MenuButton'
import { PaletteButton } from './commands/PaletteButton'
import { ThemeSwitch } from './bar/ThemeSwitch'

interface Props {
  title: string
  /** filters and actions of the page, beside its title; false: none */
  controls?: ReactNode
  children: ReactNode
}

/** A page: a bar with title, controls and global items, and below it the content. */
export function Page({ title, controls, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Tessera`
  }, [title])
  const kiosk = useKiosk()
  return (
    <>
      <header className="pagebar">
        {!kiosk && <MenuButton />}
        <h1>{title}</h1>
        {Boolean(controls) && !kiosk && <div className="controls">{controls}</div>}
        {kiosk ? <KioskBar /> : <Global />}
      </header>
      <main className="content" id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}

/** The items that all pages have. A page that draws itself anew does not draw them. */
const Global = memo(() => (
  <div className="global">
    <JobsChip />
    <AlertsBell />
    <InstanceChip />
    <ConnectionChip />
    <PaletteButton />
    <ThemeSwitch />
  </div>
))
