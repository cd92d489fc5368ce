"""Checks what the API server demands of an Indexed Job beyond its schema, and
that the manifest agrees with itself. Takes the file of the manifest, and a
directory into which it writes the spec that is in it."""

import sys

import yaml


def check(what, good):
    if not good:
        sys.exit(f"manifest: {what}")


with open(sys.argv[1], encoding="utf-8") as file:
    objects = {o["kind"]: o for o in yaml.safe_load_all(file)}
check("a ConfigMap, a volume claim and a Job", set(objects) == {"ConfigMap", "PersistentVolumeClaim", "Job"})
job = objects["Job"]["spec"]
pod = job["template"]["spec"]
(container,) = pod["containers"]
command = container["command"]

check("backoffLimitPerIndex needs completionMode Indexed", job["completionMode"] == "Indexed")
check("podFailurePolicy needs restartPolicy Never", pod["restartPolicy"] == "Never")
check("--shard is auto with the number of completions", command[command.index("--shard") + 1] == f"auto/{job['completions']}")
for rule in job["podFailurePolicy"]["rules"]:
    codes = rule.get("onExitCodes")
    if codes:
        check("exit codes name the container", codes["containerName"] == container["name"])
        check("exit codes ascend, without 0", codes["values"] == sorted(set(codes["values"]) - {0}))
        check("75 is to be tried again", 75 not in codes["values"])
    else:
        check("a rule has exit codes or conditions", rule["onPodConditions"])

volumes = {v["name"]: v for v in pod["volumes"]}
check("every volume is mounted and every mount has a volume", {m["name"] for m in container["volumeMounts"]} == set(volumes))
check("the claim is there", volumes["results"]["persistentVolumeClaim"]["claimName"] == objects["PersistentVolumeClaim"]["metadata"]["name"])
check("the spec is there", volumes["spec"]["configMap"]["name"] == objects["ConfigMap"]["metadata"]["name"])
((name, spec),) = objects["ConfigMap"]["data"].items()
check("the spec has the name that is run", command[2] == f"/spec/{name}")
with open(f"{sys.argv[2]}/spec.toml", "w", encoding="utf-8") as file:
    file.write(spec)
