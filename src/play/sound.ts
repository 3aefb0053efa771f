import type { Chime } from './chime.ts'

/** The tones of each sound, in hertz. */
const TONES: Record<Chime, readonly number[]> = {
  placed: [440],
  win: [523.25, 659.25, 783.99],
  loss: [220, 174.61],
}

const TONE_S = 0.12
const VOLUME = 0.12
const SILENT = 0.0001

let context: AudioContext | null = null

/** Plays short tones, one after another. */
export async function sound(kind: Chime): Promise<void> {
  context ??= new AudioContext()
  // A browser keeps it suspended until the player has touched the page.
  await context.resume()
  for (const [index, hertz] of TONES[kind].entries()) {
    tone(context, hertz, context.currentTime + index * TONE_S)
  }
}

function tone(audio: AudioContext, hertz: number, at: number): void {
  const oscillator = audio.createOscillator()
  const gain = audio.createGain()
  oscillator.frequency.value = hertz
  gain.gain.setValueAtTime(VOLUME, at)
  // Fading out avoids a click.
  gain.gain.exponentialRampToValueAtTime(SILENT, at + TONE_S)
  oscillator.connect(gain).connect(audio.destination)
  oscillator.start(at)
  oscillator.stop(at + TONE_S)
}
