#!/usr/bin/env bash
# corenlp.sh fetches and runs a Stanford CoreNLP server with its English models.
#
#	scripts/real/corenlp.sh DIR fetch    the jars, 500 MB, from Maven Central, checked
#	scripts/real/corenlp.sh DIR start    the server, and wait until its models are loaded
#	scripts/real/corenlp.sh DIR stop     end it
#
# Everything is kept in DIR. Each command may be repeated: existing parts stay.
#
# Environment: CORENLP_PORT is 9000 by default, CORENLP_HEAP 4g, CORENLP_THREADS 1.
#
# CoreNLP listens on all addresses, has no option to restrict that, and requires
# no key: run it behind a firewall.
#
# It needs Java 8 or later, Maven to fetch, and curl.
set -euo pipefail

version=4.5.10
port=${CORENLP_PORT:-9000}

usage() { sed -n '2,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

if [[ $# -ne 2 ]]; then
	usage >&2
	exit 2
fi
mkdir -p "$1"
dir=$(cd "$1" && pwd)

sums() {
	cat <<'SUMS'
5c46876715c80a166849efe7f2de54aaacafc9f33eb33732a0b6dfc6552cb0c2  AppleJavaExtensions-1.4.jar
c165adae5a49167cba8af557b399d268f0d5099433559eac903c275bd9545fd2  commons-lang3-3.3.1.jar
ab333ff4984a8b8d7c5ef5015f52ea27f1a2fc24ee377f2e5dab31da0a10165c  ejml-cdense-0.39.jar
937fb1b1a0859d88e76b5cf0b2ddc62d03198120fbf213b5cdf2d6c950abc995  ejml-core-0.39.jar
28bb9c06901211de146d80ef4ef0299c5dae468a8f9d585d016c19479ed93ef2  ejml-ddense-0.39.jar
c45113df12bb5ca6f6d69e6c2b5dfb74e91acb518c90adc75fa90225c4c1616e  ejml-dsparse-0.39.jar
9deed9648a6954c37f79543630638689fc683fb341154bf265cf41aa019e8d38  ejml-fdense-0.39.jar
8e588f16233c5961ddc0f517a165ca35c46f85136756ee6119727885b375d1b9  ejml-fsparse-0.39.jar
7639609431b267091f81362c70897768a3b8193836206d344c08b2004934d2ef  ejml-simple-0.39.jar
475ac2a2cf4467f814a54f13fa68c1345f82cd2cabaa23757e96e2c0cb2c80d3  ejml-zdense-0.39.jar
6443e10ba2e259fb821d9b6becf10db5316285fc30c53cec9d7b19a3877e7fdf  istack-commons-runtime-3.0.7.jar
4e1414edc1d6c7dc0747d187c94b451515ed340a9b735156daa91fcefc6aa1b0  jakarta.json-1.1.6.jar
586e27706c21258f5882f43be06904f49b02db9ac54e345d393fe4a32494d127  jakarta.servlet-api-4.0.4.jar
43fdef0b5b6ceb31b0424b208b930c74ab58fac2ceeb7b3f6fd3aeb8b5ca4393  javax.activation-api-1.2.0.jar
56b9e9702753763007435162ea788055efcfefc86ab920f032c0411dc547b836  jaxb-api-2.4.0-b180830.0359.jar
4e4e4876368f5e1d088839a4ac37cfd419b6d1792518919116650a61a99f6a7a  jaxb-impl-2.4.0-b180830.0438.jar
a9b450d96d90616f9fe5657a29385b4d0077f99f8bc80841f93e2545a3cd623e  joda-time-2.13.0.jar
556a1a11275d1d1df094b127a3e158377c0026ad150c0e651c9c46c533027e48  jollyday-0.4.9.jar
766ad2a0783f2687962c8ad74ceecc38a28b9f72a2d085ee438b7813e928d0c7  jsr305-3.0.2.jar
8540247fad9e06baefa8fb45eb313802d019f485f14300e0f9d6b556ed88e753  protobuf-java-3.25.5.jar
5f6804bacdfdb3ccc52d2538536fab8986696d61559b081054a420c653806667  serializer-2.7.3.jar
0aee9a77a4940d72932b0d0d9557793f872e66a03f598e473f45e7efecdccf99  slf4j-api-1.7.12.jar
a5da9f6feb35a0fd2ea2cbe8909bede3952965b238a68c833ae3e031ed9026a0  stanford-corenlp-4.5.10-models.jar
f813ce4ed7319d79225f2a520d40733075c6b3500dd0b81ee069229e461aab43  stanford-corenlp-4.5.10.jar
febd48bb133a96c447282213951a6b74ea7fb45c0d896121296c014316bda6b0  xalan-2.7.3.jar
6fc991829af1708d15aea50c66f0beadcd2cfeb6968e0b2f55c1b0909883fe16  xercesImpl-2.12.2.jar
a840968176645684bb01aed376e067ab39614885f9eee44abe35a5f20ebe7fad  xml-apis-1.4.01.jar
2b45f6d5b882ec3c13de86cf23512d01377c1943e8f8ad767298f67e03e561c5  xom-1.3.9.jar
SUMS
}

check() { (cd "$dir/jars" && sums | sha256sum --check --quiet -); }

fetch() {
	mkdir -p "$dir/jars"
	if check 2>/dev/null; then
		return
	fi
	command -v mvn >/dev/null || { echo "corenlp.sh: mvn is missing; install Maven" >&2; exit 1; }
	cat >"$dir/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bench</groupId><artifactId>corenlp</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>edu.stanford.nlp</groupId><artifactId>stanford-corenlp</artifactId><version>$version</version></dependency>
    <dependency><groupId>edu.stanford.nlp</groupId><artifactId>stanford-corenlp</artifactId><version>$version</version><classifier>models</classifier></dependency>
  </dependencies>
</project>
POM
	mvn --batch-mode --quiet --file "$dir/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$dir/jars"
	check || { echo "corenlp.sh: the jars in $dir/jars are not those of version $version; delete them and fetch again" >&2; exit 1; }
}

# running reports whether the server of an earlier start still runs. Process ids
# are reused, so its command has to be Java; one that ended may still be listed.
running() { [[ -s $dir/pid ]] && [[ $(ps -o stat=,comm= -p "$(<"$dir/pid")" 2>/dev/null) =~ ^[^Z].*\ java$ ]]; }

start() {
	if ! running; then
		fetch
		# Its own timeout of 15 seconds is too short for a session on a busy machine.
		nohup java "-mx${CORENLP_HEAP:-4g}" -cp "$dir/jars/*" \
			edu.stanford.nlp.pipeline.StanfordCoreNLPServer -port "$port" -threads "${CORENLP_THREADS:-1}" \
			-timeout 600000 -maxCharLength 100000 \
			-preload tokenize,ssplit,pos,lemma,ner,depparse,coref \
			>"$dir/log" 2>&1 </dev/null &
		echo $! >"$dir/pid"
	fi
	# It reports ready once the models are loaded, which may take minutes on a busy
	# machine.
	for ((i = 0; i < 600; i++)); do
		if curl --silent --fail --output /dev/null "http://127.0.0.1:$port/ready"; then
			echo "http://127.0.0.1:$port"
			return
		fi
		if ! running; then
			tail -5 "$dir/log" >&2
			echo "corenlp.sh: the server ended; its log is $dir/log" >&2
			exit 1
		fi
		sleep 1
	done
	echo "corenlp.sh: the server is not ready after 10 minutes; its log is $dir/log" >&2
	exit 1
}

stop() {
	if running; then
		kill "$(<"$dir/pid")"
		while running; do sleep 0.2; done
	fi
	rm -f "$dir/pid"
}

case $2 in
fetch | start | stop) "$2" ;;
*)
	printf 'corenlp.sh: unknown command %q; have fetch, start and stop\n' "$2" >&2
	exit 2
	;;
esac
