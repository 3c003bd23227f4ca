// A recorded run to step through, in the player that Live has too; with a task, a round to find.

import { h } from "./dom.js";
import { toldOfRun } from "./learn_here.js";
import { Task } from "./learn_task.js";
import { Player } from "./player.js";
import { Store } from "./store.js";

/** @import { LearnContext } from "./learn_widgets.js" */
/** @import { PlayerView } from "./types.js" */

export class RunWidget {
  /**
   * @param {PlayerView} view
   * @param {LearnContext} context
   */
  constructor({ trace, readings, start, goal, say }, context) {
    this.readings = readings;
    this.store = new Store();
    const player = new Player(this.store, context.floating);
    player.alone("A recorded run");
    this.store.hold(context.runs[trace]);
    this.store.setFollow(false);
    this.store.look((context.round ?? start) - 1);
    let told = this.store.round;
    this.store.subscribe(() => {
      if (this.store.round === told) return;
      told = this.store.round;
      context.look(told + 1);
    });
    const task = goal && new Task(context, say, () => this.store.round + 1);
    this.element = h("section", { class: "rs-panel", "aria-label": "A run" }, player.element, task && task.element);
  }

  /** @param {string} term */
  told(term) {
    return toldOfRun(this.readings, this.store.round + 1, term);
  }
}
