// The hand at the slider: what is asked while it moves, what waits until it rests, and what is of an earlier place by then.

const RESTS_MS = 250;

export class Hand {
  moves = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  resting = undefined;

  /** @param {() => void} rested what waits until then */
  constructor(rested) {
    this.rested = rested;
  }

  /** What was asked before is of another place. */
  move() {
    clearTimeout(this.resting);
    return (this.moves += 1);
  }

  /** @param {() => Promise<unknown>} look at the new place; the hand rests if it moved no more until that was seen, nor soon after */
  async follow(look) {
    const mine = this.move();
    await look();
    if (mine === this.moves) this.settle();
  }

  settle() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rested(), RESTS_MS);
  }

  /**
   * @template Answer
   * @param {Promise<Answer | null>} answer
   * @returns {Promise<Answer | null>} none where it is of another place by now
   */
  async unmoved(answer) {
    const { moves } = this;
    const found = await answer;
    return moves === this.moves ? found : null;
  }
}
