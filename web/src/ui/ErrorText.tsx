interface Props {
  id: string
  children: string
}

/** What is wrong with a control, announced when it appears. `describedBy` ties the control to it. */
export function ErrorText({ id, children }: Props) {
  return (
    <div className="error" id={id} role="alert">
      {children}
    </div>
  )
}
