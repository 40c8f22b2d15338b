import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { namespacesQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { allCommands, findCommands, type Command } from './commands'
import { openOverlay, useOverlay } from './overlays'

/** Ctrl/Cmd-K: type a few letters, press Enter. */
export function CommandPalette() {
  const open = useOverlay() === 'palette'
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open && dialog.current?.open === false) dialog.current.showModal()
    if (!open) dialog.current?.close()
  }, [open])
  const close = (): void => openOverlay(undefined)
  return (
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label="Commands"
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) close()
      }}
    >
      {open && <Search onDone={close} />}
    </dialog>
  )
}

function Search({ onDone }: { onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const navigate = useNavigate()
  const { data } = useQuery(namespacesQuery())
  const found = findCommands(allCommands(data?.items ?? [], useMay()), typed)
  const run = (command: Command | undefined): void => {
    onDone()
    command?.run((href) => void navigate({ href }))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter') {
      event.preventDefault()
      run(found[chosen])
    }
    if (step === 0 || found.length === 0) return
    event.preventDefault()
    setChosen((chosen + step + found.length) % found.length)
  }
  return (
    <>
      <input
        autoFocus
        placeholder="Go to a page, a namespace, an action…"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] === undefined ? undefined : `palette-${chosen}`}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Commands">
        {found.map((command, index) => (
          <li
            key={`${command.group}${command.name}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            ref={(item) => {
              if (index === chosen) item?.scrollIntoView({ block: 'nearest' })
            }}
            onClick={() => run(command)}
            onPointerMove={() => setChosen(index)}
          >
            <span>{command.name}</span>
            <span className="mute small">{command.group}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className="mute" style={{ padding: 14 }}>
          No matches.
        </p>
      )}
    </>
  )
}
