// What the device does besides its page: the screen stays lit while a customer is served, and outcomes can be heard and felt.

const SIGNALS = "signals";
/** Frequencies in hertz, one after the other, and a vibration in milliseconds. @type {Partial<Record<string, {tones: number[], vibration: number[]}>>} */
const PATTERNS = {
  done: { tones: [660, 880], vibration: [60] },
  refused: { tones: [330, 220], vibration: [120, 80, 120] },
};
const TONE_LENGTH = 0.14; // seconds

/** @type {WakeLockSentinel | null} */
let lock = null;
let isHeld = false;
/** The outcome that was signalled last. */
let signalled = "";

/**
 * @param {boolean} isServing
 */
export function holdScreen(isServing) {
  isHeld = isServing;
  if (isHeld && (!lock || lock.released) && document.visibilityState === "visible") void light();
  if (!isHeld) void lock?.release();
}

async function light() {
  // Missing in some browsers; refused when the battery is low.
  const sentinel = await navigator.wakeLock?.request("screen").catch(() => null);
  if (!sentinel) return;
  if (lock && !lock.released) return void sentinel.release();
  lock = sentinel;
  if (!isHeld) await lock.release();
}

export function areSignalsOn() {
  try {
    return localStorage.getItem(SIGNALS) === "on";
  } catch {
    return false;
  }
}

/** @param {boolean} isOn */
export function setSignals(isOn) {
  try {
    localStorage.setItem(SIGNALS, isOn ? "on" : "off");
  } catch {
    // Blocked: they stay off.
  }
  // So that the cashier hears what it is.
  if (isOn) play("done");
}

/**
 * Signals an outcome once.
 *
 * @param {import("/portal-api/journal.js").Entry} entry
 */
export function signalOutcome({ key, outcome }) {
  const id = `${key} ${outcome?.kind}`;
  if (!outcome || id === signalled) return;
  signalled = id;
  if (areSignalsOn()) play(outcome.kind);
}

/** @param {string} kind */
function play(kind) {
  const pattern = PATTERNS[kind];
  if (!pattern) return;
  navigator.vibrate?.(pattern.vibration);
  const audio = new AudioContext();
  pattern.tones.forEach((frequency, index) => {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const start = audio.currentTime + index * TONE_LENGTH;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.15, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_LENGTH);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + TONE_LENGTH);
    tone.onended = () => index === pattern.tones.length - 1 && void audio.close();
  });
}
