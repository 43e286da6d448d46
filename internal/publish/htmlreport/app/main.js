import {App} from "./app.js";
import {chat} from "./chat.js";
import {FileSource, ServerSource, takeToken} from "./source.js";
import {compare} from "./compare.js";
import {figures} from "./figures.js";
import {live} from "./live.js";
import {matrix} from "./matrix.js";
import {overview} from "./overview.js";
import {review} from "./review.js";
import {runs} from "./runs.js";
import {settings} from "./settings.js";
import {byId} from "./text.js";

export {Index} from "./data.js";
export {flips} from "./compare.js";
export {OUTCOMES, VERDICTS, outcome, verdictBy} from "./outcome.js";
export {select, words} from "./filter.js";
export {orderOf} from "./timeline.js";
export {byId, visible} from "./text.js";
export {draw, h} from "./ui.js";

// All pages, in the order of the navigation. The first that a source can show is what
// an address without a page opens.
const PAGES = [overview, matrix, compare, figures, review, live, settings, runs, chat];

takeToken();
const file = byId("index") !== null;
export const app = new App(PAGES, (key) => file ? new FileSource() : new ServerSource(key));
app.follow();
