/** A text of a source file and its replacement. */
export type Edit = [file: string, find: string, replace: string]

/** A deliberately broken bridge, and the cases that must detect it. */
export interface Break {
  name: string
  edits: Edit[]
  seenBy: string[]
}
