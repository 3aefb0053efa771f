import { settings } from './settings.ts'

export type Chime = 'win' | 'loss' | 'placed'

/** Plays a sound, if the player has turned sound on. */
export function chime(kind: Chime): void {
  if (settings.value.sound) void import('./sound.ts').then(({ sound }) => sound(kind))
}
